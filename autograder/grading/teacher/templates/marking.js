"use strict";
// Mark one written question: an answer (or a group of equal ones) after the other, with the keyboard.
const most = Number(document.getElementById("answers").dataset.most);
const cards = [...document.querySelectorAll(".answer")];
const done = [];  // what can be undone: lists of {grade, seen, new}
const find = (card, name) => card.querySelector("." + name);
const marksOf = new Map(cards.map((card) => [card, JSON.parse(card.dataset.marks)]));
const isOpen = (card) => marksOf.get(card).some((mark) => mark.state.open);
const cardOf = (grade) => cards.find((card) => marksOf.get(card).some((mark) => mark.grade === grade));
const written = (state) => state.points === null ? (state.open ? "open" : "as graded") : `${state.points} of ${most}`;

function show(card) {
  const states = marksOf.get(card).map((mark) => mark.state);
  const kinds = [...new Set(states.map(written))];
  find(card, "state").textContent = kinds.join(", ");
  card.classList.toggle("done", !isOpen(card));
  const points = new Set(states.map((state) => state.points));
  find(card, "points").value = points.size === 1 && !points.has(null) ? [...points][0] : "";
  const comments = new Set(states.map((state) => state.comment));
  find(card, "comment").value = comments.size === 1 ? [...comments][0] : "";
  const onlyOpen = document.getElementById("open-only").checked;
  card.hidden = onlyOpen && !isOpen(card) && !card.contains(document.activeElement);
}

function showAll() {
  cards.forEach(show);
  const marks = cards.flatMap((card) => marksOf.get(card));
  const left = marks.filter((mark) => mark.state.open).length;
  document.getElementById("progress").textContent = `${marks.length - left} of ${marks.length} marked`;
  document.getElementById("undo").disabled = done.length === 0;
  const counts = new Map();
  for (const mark of marks) {
    if (mark.state.comment) counts.set(mark.state.comment, (counts.get(mark.state.comment) ?? 0) + 1);
  }
  const used = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 9).map(([text]) => text);
  document.getElementById("no-comments").hidden = used.length > 0;
  document.getElementById("comments").replaceChildren(...used.map((text) => {
    const item = document.createElement("li"), button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", () => add(text));
    item.append(button);
    return item;
  }));
}

let current = cards[0];
function go(card) {
  if (!card) return;
  current = card;
  card.hidden = false;
  card.focus({ preventScroll: true });
  card.scrollIntoView({ block: "nearest" });
}
const visible = () => cards.filter((card) => !card.hidden || card === current);
function step(by) {
  const some = visible();
  go(some[some.indexOf(current) + by]);
}
function nextOpen() {
  const after = cards.slice(cards.indexOf(current) + 1), before = cards.slice(0, cards.indexOf(current));
  go([...after, ...before].find(isOpen) ?? current);
}
function add(text) {
  const field = find(current, "comment");
  if (!field.value.includes(text)) field.value = field.value ? `${field.value}\n${text}` : text;
  field.focus();
}

async function send(changes) {
  const cookie = document.cookie.match(/(?:^|; )_xsrf=([^;]*)/);
  const answer = await fetch(location.href, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(cookie ? { "X-XSRFToken": cookie[1] } : {}) },
    body: JSON.stringify({ changes }),
  });
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(data.message || `The server answered ${answer.status}. Is it still running?`);
  for (const [grade, state] of Object.entries({ ...data.written, ...data.refused })) {
    for (const mark of marksOf.get(cardOf(grade)) ?? []) if (mark.grade === grade) mark.state = state;
  }
  return data;
}

const told = (state) => `${written(state)}${state.comment ? `, “${state.comment}”` : ""}`;

async function save(card) {
  const text = find(card, "points").value.trim().replace(",", "."), message = find(card, "message");
  const points = text === "" ? null : Number(text);
  if (points !== null && !(points >= 0 && points <= most)) {
    message.textContent = `Expected points from 0 to ${most}, but got ${text}.`;
    return false;
  }
  const state = { points, comment: find(card, "comment").value, open: false };
  const changes = marksOf.get(card).map((mark) => ({ grade: mark.grade, seen: mark.state, new: state }));
  try {
    const data = await send(changes);
    const mine = changes.filter((change) => change.grade in data.written);
    if (mine.length) done.push(mine.map(({ grade, seen }) => ({ grade, seen: data.written[grade], new: seen })));
    const others = Object.values(data.refused);
    message.textContent = others.length
      ? `Somebody else has marked ${others.length} of these meanwhile: ${told(others[0])}. Save again to replace it.` : "";
    showAll();
    if (others.length) { find(card, "points").value = text; find(card, "comment").value = state.comment; }
    return others.length === 0;
  } catch (error) {
    message.textContent = String(error.message);
    return false;
  }
}

async function undo() {
  const changes = done.pop();
  if (!changes) return;
  const card = cardOf(changes[0].grade);
  try {
    const data = await send(changes);
    find(card, "message").textContent = Object.keys(data.refused).length
      ? "Somebody else has marked this meanwhile: it is as they left it." : "";
  } catch (error) {
    done.push(changes);
    find(card, "message").textContent = String(error.message);
  }
  showAll();
  go(card);
}

for (const card of cards) {
  card.addEventListener("focusin", () => { current = card; });
  find(card, "points").form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await save(card)) nextOpen();
  });
}
const flip = (box) => { box.checked = !box.checked; box.dispatchEvent(new Event("change")); };
const names = document.getElementById("names");
names.addEventListener("change", () => {
  for (const each of document.querySelectorAll(".names")) each.hidden = !names.checked;
});
document.getElementById("open-only").addEventListener("change", showAll);
document.getElementById("near").addEventListener("change", (event) => {
  location.search = event.target.checked ? "" : "?near=0";
});
document.getElementById("undo").addEventListener("click", undo);
const keys = document.getElementById("keys");
document.getElementById("help").addEventListener("click", () => keys.showModal());

document.addEventListener("keydown", (event) => {
  const field = event.target.closest("input:not([type=checkbox]), textarea");
  if (event.key === "Escape" && field) return field.closest(".answer").focus();
  if (event.altKey && /^[1-9]$/.test(event.key)) {
    const button = document.querySelectorAll("#comments button")[Number(event.key) - 1];
    if (button) { event.preventDefault(); button.click(); }
    return;
  }
  if (event.key === "Enter" && event.ctrlKey && field) return field.form.requestSubmit();
  if (field || keys.open || event.ctrlKey || event.metaKey || event.altKey || !current) return;
  if (/^[0-9]$/.test(event.key)) {
    const points = find(current, "points");
    points.focus();
    points.select();
    return;  // the digit is typed into the field
  }
  const act = {
    j: () => step(1), k: () => step(-1), u: undo, n: () => flip(names), "?": () => keys.showModal(),
    c: () => find(current, "comment").focus(),
    Enter: () => { if (event.target.classList.contains("answer")) find(current, "points").form.requestSubmit(); },
  }[event.key];
  if (act && !(event.key === "Enter" && event.target.closest("button, a, summary"))) { event.preventDefault(); act(); }
});

showAll();
if (cards.length) go(cards.find(isOpen) ?? cards[0]);
