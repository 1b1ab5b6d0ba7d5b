// Attention weights to look into: choose a layer, a head or a step, and a query; read what it attends to.
// One file, no library, nothing from a network. Colours come from the theme; numbers are spoken as text.

const MARK = "2px solid #d55e00";

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

// A slider with its name and the entry that it stands at; `set` moves it from outside.
function slider(name, labels, moved) {
  const label = document.createElement("label");
  const input = document.createElement("input");
  Object.assign(input, { type: "range", min: 0, max: labels.length - 1, value: 0 });
  input.style.verticalAlign = "middle";
  const shown = document.createElement("span");
  const set = (at) => {
    input.value = at;
    shown.textContent = labels[at];
    input.setAttribute("aria-valuetext", labels[at]);
  };
  input.addEventListener("input", () => {
    set(Number(input.value));
    moved(Number(input.value));
  });
  set(0);
  label.append(`${name} `, input, " ", shown);
  return { label, set };
}

function floats(view) {
  return new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

function share(weight, largest) {
  return largest > 0 && Number.isFinite(weight) ? Math.max(0, Math.min(1, weight / largest)) : 0;
}

function shaded(cell, weight, largest) {
  const part = share(weight, largest);
  const mix = [[242, 8], [246, 48], [252, 107]].map(([low, high]) => Math.round(low + (high - low) * part));
  cell.style.background = `rgb(${mix.join(",")})`;
  const light = mix.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
  cell.style.color = (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) ? "#000" : "#fff";
}

function titled(text) {
  const table = document.createElement("table");
  Object.assign(table.style, { borderCollapse: "collapse", margin: "0.3em 0" });
  const caption = table.createCaption();
  caption.textContent = text;
  Object.assign(caption.style, { captionSide: "top", textAlign: "left" });
  return table;
}

function isWrong(weight, wanted) {
  return Math.abs(weight - wanted) > 1e-3 || Number.isFinite(weight) !== Number.isFinite(wanted);
}

// The matrix: a row for each query, a column for each key.
function asMatrix({ title, queries, keys, choose }) {
  const table = titled(`${title}. Rows: queries (choose one), columns: keys.`);
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

  function draw(part, right) {
    const largest = Math.max(...part);
    cells.forEach((row, i) => row.forEach((cell, j) => {
      const weight = part[i * keys.length + j], wanted = right ? right[i * keys.length + j] : weight;
      const wrong = isWrong(weight, wanted);
      cell.textContent = (wrong ? "×" : "") + weight.toFixed(2);
      cell.title = wrong ? `expected ${wanted.toFixed(3)}` : `${queries[i]} → ${keys[j]}: ${weight.toFixed(3)}`;
      cell.style.border = wrong ? MARK : "1px solid #999";
      shaded(cell, weight, largest);
    }));
  }

  function mark(query) {
    cells.forEach((row, i) => { row[0].parentNode.style.outline = i === query ? MARK : ""; });
  }
  return { table, draw, mark };
}

// The keys as cells over a picture: tinted where the query looks, or, on a picture with colours, veiled where it does not.
function overPicture({ title, queries, keys, grid, picture, coloured, choose }) {
  const places = keys.map((key) => queries.indexOf(key));       // the query that stands in a cell, or -1
  const how = places.some((i) => i >= 0) ? "the slider or a click into the picture chooses" : "the slider chooses";
  const table = titled(`${title}. The cells are the keys; ${how} the query.`);
  Object.assign(table.style, {
    width: "20em", maxWidth: "100%", tableLayout: "fixed", background: `url("${picture}") 0 0 / 100% 100%`,
    imageRendering: "pixelated", aspectRatio: `${grid[1]} / ${grid[0]}`,
  });
  const caption = table.caption;
  const figure = document.createElement("figure");
  const words = document.createElement("figcaption");           // a caption inside the table would lie on the picture
  words.textContent = caption.textContent;
  caption.remove();
  figure.style.margin = "0.3em 0";
  table.setAttribute("aria-label", title);
  figure.append(words, table);
  const body = table.createTBody();
  const rows = Array.from({ length: grid[0] }, () => body.insertRow());
  const cells = keys.map((key, j) => {
    const row = rows[Math.floor(j / grid[1])];
    row.style.background = "transparent";
    const cell = row.insertCell();
    Object.assign(cell.style, { padding: "0", border: "1px solid #9996", height: `${20 / grid[0]}em`, textAlign: "left" });
    const inside = places[j] >= 0 ? button("", "", () => choose(places[j])) : document.createElement("span");
    Object.assign(inside.style, { display: "block", width: "100%", height: "100%", padding: "0", outlineOffset: "-3px" });
    cell.append(inside);
    return { cell, inside };
  });

  function draw(part, right, query) {
    const at = query * keys.length, own = part.subarray(at, at + keys.length), largest = Math.max(...own);
    cells.forEach(({ cell, inside }, j) => {
      const weight = own[j], wanted = right ? right[at + j] : weight, wrong = isWrong(weight, wanted);
      const text = `${keys[j]}: ${weight.toFixed(3)}${wrong ? `, expected ${wanted.toFixed(3)}` : ""}`;
      cell.title = text;
      inside.setAttribute("aria-label", text);
      if (places[j] < 0) inside.setAttribute("role", "img");
      const strength = share(weight, largest);
      inside.style.background = coloured ? `rgba(128,128,128,${0.9 * (1 - strength)})` : `rgba(213,94,0,${0.75 * strength})`;
      cell.style.outline = wrong || places[j] === query ? MARK : "";
      cell.style.outlineOffset = "-2px";
    });
  }
  return { table: figure, draw, mark: () => {} };
}

function render({ model, el }) {
  const [queries, keys, axes, grid] = ["query_names", "key_names", "axes", "grid"].map((name) => model.get(name));
  const weights = floats(model.get("weights"));
  const right = model.get("expected").byteLength ? floats(model.get("expected")) : null;
  const size = queries.length * keys.length;
  const chosen = axes.map(() => 0);
  let query = 0;

  el.textContent = "";
  el.addEventListener("keydown", (event) => {                   // these keys are the control's, and not JupyterLab's
    if (/^(Arrow|Home|End|Page)/.test(event.key)) event.stopPropagation();
  });
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

  const about = { title: model.get("title"), queries, keys, grid, choose };
  const board = grid.length
    ? overPicture({ ...about, picture: model.get("picture"), coloured: model.get("coloured") }) : asMatrix(about);
  const sliders = axes.map(({ name, labels }, axis) => slider(name, labels, (at) => { chosen[axis] = at; draw(); }));
  const asking = grid.length ? [slider("query", queries, choose)] : [];
  controls.append(...[...sliders, ...asking].map(({ label }) => label));
  holder.append(board.table);

  function offset() {
    return axes.reduce((at, { labels }, axis) => at * labels.length + chosen[axis], 0) * size;
  }

  function choose(i) {
    query = i;
    asking.forEach(({ set }) => set(i));
    if (asking.length) draw();
    else say();
  }

  function say() {
    const at = offset() + query * keys.length;
    const ranked = keys.map((key, j) => [weights[at + j], key]).sort((one, other) => other[0] - one[0]);
    const most = ranked.slice(0, 3).map(([weight, key]) => `${key} (${weight.toFixed(2)})`).join(", ");
    const total = ranked.reduce((sum, [weight]) => sum + weight, 0);
    said.textContent = `${queries[query]} attends to ${most}; the weights of this row sum to ${total.toFixed(2)}.`;
    board.mark(query);
  }

  function draw() {
    const at = offset();
    board.draw(weights.subarray(at, at + size), right && right.subarray(at, at + size), query);
    say();
  }

  draw();
}

export default { render };
