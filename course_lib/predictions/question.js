// A prediction by a click: one question, real radio buttons, and a line that says that the click was noted.
// One file, no library, nothing from a network. Colours come from the theme.

function option(text, group, pick) {
  const label = document.createElement("label");
  const radio = document.createElement("input");
  radio.type = "radio";
  radio.name = group;
  radio.value = text;
  Object.assign(radio.style, { margin: "0.2em 0.6em 0 0", flex: "none" });
  Object.assign(label.style, {
    display: "flex", clear: "both", alignItems: "flex-start", padding: "4px 8px", cursor: "pointer", borderRadius: "3px", outlineOffset: "-2px",
  });
  radio.addEventListener("change", () => pick(text));
  radio.addEventListener("focus", () => { label.style.outline = radio.matches(":focus-visible") ? "2px solid #d55e00" : ""; });
  radio.addEventListener("blur", () => { label.style.outline = ""; });
  label.append(radio, text);
  return { label, radio };
}

function render({ model, el }) {
  const group = `prediction-${Math.random().toString(36).slice(2)}`;
  const field = document.createElement("fieldset");
  Object.assign(field.style, {
    border: "1px solid #999", borderRadius: "4px", padding: "4px 8px", margin: "0.4em 0", maxWidth: "60em", minWidth: "0",
    boxSizing: "border-box", color: "inherit", font: "inherit", lineHeight: "1.4",
  });
  const legend = document.createElement("legend");
  Object.assign(legend.style, {                                 // floating, it stands inside the border, where it may wrap
    float: "left", width: "100%", boxSizing: "border-box", padding: "2px 8px 4px", color: "inherit", font: "inherit", border: "0",
    margin: "0",
  });
  const kind = document.createElement("b");
  kind.textContent = "Your prediction. ";
  legend.append(kind, model.get("question"));
  const said = document.createElement("div");
  said.setAttribute("role", "status");
  Object.assign(said.style, { minHeight: "1.4em", padding: "0 8px" });

  const options = model.get("options").map((text) => option(text, group, (choice) => {
    model.set("choice", choice);
    model.save_changes();
  }));
  field.append(legend, ...options.map(({ label }) => label), said);
  el.textContent = "";
  el.addEventListener("keydown", (event) => {                   // these keys are the control's, and not JupyterLab's
    if (/^(Arrow|Home|End|Page)/.test(event.key)) event.stopPropagation();
  });
  el.append(field);

  const chosen = () => options.forEach(({ radio }) => { radio.checked = radio.value === model.get("choice"); });
  const noted = () => { said.textContent = model.get("note"); };
  model.on("change:choice", chosen);
  model.on("change:note", noted);
  chosen();
  noted();
  return () => {
    model.off("change:choice", chosen);
    model.off("change:note", noted);
  };
}

export default { render };
