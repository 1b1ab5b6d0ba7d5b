// Attention weights to look into: choose a layer, a head or a step, and a query; read what it attends to.
// One file, no library, nothing from a network. Colours come from the theme; numbers are spoken as text.

function button(text, title, press) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.title = title;
  made.addEventListener("click", press);
  Object.assign(made.style, {
    background: "transparent", color: "inherit", border: "0", padding: "2px 6px", font: "inherit", cursor: "pointer",
  });
  return made;
}

function floats(view) {
  return new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

function shaded(cell, weight, largest) {
  const part = largest > 0 && Number.isFinite(weight) ? Math.max(0, Math.min(1, weight / largest)) : 0;
  const mix = [[242, 8], [246, 48], [252, 107]].map(([low, high]) => Math.round(low + (high - low) * part));
  cell.style.background = `rgb(${mix.join(",")})`;
  const light = mix.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
  cell.style.color = (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) ? "#000" : "#fff";
}

function render({ model, el }) {
  const shape = model.get("shape"), queries = model.get("queries"), keys = model.get("keys"), axes = model.get("axes");
  const weights = floats(model.get("weights"));
  const right = model.get("expected").byteLength ? floats(model.get("expected")) : null;
  const [rows, columns] = [queries.length, keys.length];
  const chosen = axes.map(() => 0);
  let query = 0;

  el.textContent = "";
  const controls = document.createElement("div");
  Object.assign(controls.style, { display: "flex", flexWrap: "wrap", gap: "0.3em 1.5em", margin: "0.3em 0" });
  const said = document.createElement("div");
  said.setAttribute("role", "status");
  const holder = document.createElement("div");
  Object.assign(holder.style, { overflowX: "auto", maxWidth: "100%" });
  holder.tabIndex = 0;
  holder.setAttribute("role", "group");
  holder.setAttribute("aria-label", "attention weights");
  el.append(controls, said, holder);

  axes.forEach(({ name, labels }, axis) => {
    const label = document.createElement("label");
    const slider = document.createElement("input");
    slider.type = "range";
    slider.min = 0;
    slider.max = labels.length - 1;
    slider.value = 0;
    const shown = document.createElement("output");
    shown.textContent = labels[0];
    slider.setAttribute("aria-valuetext", labels[0]);
    slider.style.verticalAlign = "middle";
    slider.addEventListener("input", () => {
      chosen[axis] = Number(slider.value);
      shown.textContent = labels[chosen[axis]];
      slider.setAttribute("aria-valuetext", labels[chosen[axis]]);
      draw();
    });
    label.append(`${name} `, slider, " ", shown);
    controls.append(label);
  });

  const table = document.createElement("table");
  Object.assign(table.style, { borderCollapse: "collapse", margin: "0.3em 0" });
  const caption = table.createCaption();
  caption.textContent = `${model.get("title")}. Rows: queries (choose one), columns: keys.`;
  Object.assign(caption.style, { captionSide: "top", textAlign: "left" });
  const head = table.createTHead().insertRow();
  head.insertCell();
  for (const key of keys) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = key;
    Object.assign(cell.style, { fontWeight: "normal", padding: "2px 6px", textAlign: "center" });
    head.append(cell);
  }
  const body = table.createTBody();
  const cells = queries.map((name, i) => {
    const row = body.insertRow();
    row.style.background = "transparent";
    const first = document.createElement("th");
    first.scope = "row";
    Object.assign(first.style, { fontWeight: "normal", textAlign: "right", padding: "0" });
    first.append(button(name, "what does this query look at?", () => choose(i)));
    row.append(first);
    row.addEventListener("mouseenter", () => choose(i));
    return keys.map(() => {
      const cell = row.insertCell();
      Object.assign(cell.style, { padding: "2px 6px", textAlign: "center", minWidth: "2.2em", fontSize: "85%" });
      return cell;
    });
  });
  holder.append(table);

  function offset() {
    return axes.reduce((at, { labels }, axis) => at * labels.length + chosen[axis], 0) * rows * columns;
  }

  function choose(i) {
    query = i;
    say();
  }

  function say() {
    const at = offset() + query * columns;
    const ranked = keys.map((key, j) => [weights[at + j], key]).sort((one, other) => other[0] - one[0]);
    const most = ranked.slice(0, 3).map(([weight, key]) => `${key} ${weight.toFixed(2)}`).join(", ");
    const total = ranked.reduce((sum, [weight]) => sum + weight, 0);
    said.textContent = `${queries[query]} attends to ${most}; the weights of this row sum to ${total.toFixed(2)}.`;
    cells.forEach((row, i) => { row[0].parentNode.style.outline = i === query ? "2px solid #d55e00" : ""; });
  }

  function draw() {
    const at = offset();
    const part = weights.subarray(at, at + rows * columns);
    const largest = Math.max(...part);
    cells.forEach((row, i) => row.forEach((cell, j) => {
      const weight = part[i * columns + j];
      const wanted = right ? right[at + i * columns + j] : weight;
      const wrong = Math.abs(weight - wanted) > 1e-3 || Number.isFinite(weight) !== Number.isFinite(wanted);
      cell.textContent = (wrong ? "×" : "") + weight.toFixed(2);
      cell.title = wrong ? `expected ${wanted.toFixed(3)}` : `${queries[i]} → ${keys[j]}: ${weight.toFixed(3)}`;
      cell.style.border = wrong ? "2px solid #d55e00" : "1px solid #999";
      shaded(cell, weight, largest);
    }));
    say();
  }

  draw();
}

export default { render };
