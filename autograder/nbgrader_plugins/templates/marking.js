"use strict";
// Marks are sent one after the other, each with the mark as it was seen here; the server refuses what has changed since then.
const page = document.body.dataset, most = Number(page.points);
const told = document.querySelector("#told"), keys = document.querySelector("#keys"), list = document.querySelector("#comments");
const links = [...document.querySelectorAll("nav a")];
const here = links.findIndex(link => link.dataset.cell === page.cell);
const done = [];  // what can be undone: {group, before, after}
let queue = Promise.resolve(), waiting = 0, failed = false, current = null, typed = "";

const groups = [...document.querySelectorAll(".group")].map((place, index) => ({
  place, number: index + 1, sending: 0, answers: JSON.parse(place.dataset.answers),
  points: place.querySelector("input"), comment: place.querySelector("textarea"), quick: place.querySelector(".quick"),
}));
const answers = groups.flatMap(group => group.answers);
const initial = answers.filter(answer => answer.state.open).length;

const same = (one, other) => one.points === other.points && one.comment === other.comment && one.open === other.open;
const isOpen = group => group.answers.some(answer => answer.state.open);
const shown = points => String(Math.round(points * 100) / 100);

/** Return the one value that all answers of a group have, or undefined. */
function common(group, read) {
  const first = read(group.answers[0]);
  return group.answers.every(answer => read(answer) === first) ? first : undefined;
}

function say(sentence, bad = false) {
  told.textContent = sentence;
  told.classList.toggle("bad", bad);
}

function describe(group) {
  const points = common(group, answer => answer.state.points), open = common(group, answer => answer.state.open);
  if (group.sending) return "saving …";
  if (points === undefined || open === undefined) return "different marks";
  if (open) return points === null ? "not marked" : `changed since it had ${shown(points)}`;
  if (points !== null) return `${shown(points)} of ${shown(most)}`;
  const auto = common(group, answer => answer.auto);
  return auto === undefined ? "different marks" : `${shown(auto)} of ${shown(most)}, by grading`;
}

/** Show a group's marks as the server has them. */
function show(group) {
  group.place.querySelector(".mark").textContent = describe(group);
  group.place.classList.toggle("done", !isOpen(group));
  const points = common(group, answer => answer.state.points), comment = common(group, answer => answer.state.comment);
  if (!group.sending) {
    group.points.value = points == null ? "" : points;
    if (document.activeElement !== group.comment) group.comment.value = comment ?? "";
    group.comment.placeholder = comment === undefined ? "Different comments. What you write here replaces them." : "";
    for (const button of group.quick.children) button.ariaPressed = String(points != null && Number(button.value) === points);
  }
  const link = links[here], before = Number(link.dataset.left);
  const left = answers.filter(answer => answer.state.open).length;
  link.parentElement.querySelector(".left").textContent = before - initial + left;
}

/** Send changes; return those that were written. */
async function send(changes, group) {
  let body;
  try {
    const response = await fetch(location.pathname, {
      method: "POST",
      headers: {"Content-Type": "application/json", "X-XSRFToken": page.xsrf},
      body: JSON.stringify({changes: changes.map(one => ({grade: one.answer.grade, seen: one.seen, new: one.new}))}),
      redirect: "error",
    });
    if (![200, 409].includes(response.status)) throw new Error(await response.text());
    body = await response.json();
  } catch (error) {
    failed = true;
    const why = error instanceof TypeError ? "The server does not answer. Is it still running?" : error.message;
    say(`Answer ${group.number} is not saved. ${why}`, true);
    return [];
  }
  for (const one of changes) {
    const now = body.written[one.answer.grade] ?? body.refused[one.answer.grade];
    if (now) one.answer.state = now;
  }
  failed = body.message !== "";
  say(failed ? `Answer ${group.number}: ${body.message}` : "Saved.", failed);
  return changes.filter(one => one.answer.grade in body.written);
}

/** Do something with a group when what was begun before is finished. */
function enqueue(group, work) {
  const count = change => {
    waiting += change;
    group.sending += change;
    document.body.classList.toggle("busy", waiting > 0);
    show(group);
  };
  count(1);
  queue = queue.then(work).finally(() => count(-1));
}

/** Give a group's answers the state that ``make`` makes of theirs. ``goesOn``: the digits before were the same number's. */
function mark(group, make, goesOn = false) {
  enqueue(group, async () => {
    const changes = group.answers.map(answer => ({answer, seen: answer.state, new: make(answer.state)}));
    const written = await send(changes.filter(one => !same(one.seen, one.new)), group);
    if (!written.length) return;
    const last = done.at(-1);
    if (goesOn && last?.group === group && last.changes.length === written.length) {
      for (const one of written) last.changes.find(each => each.answer === one.answer).after = one.answer.state;
    } else done.push({group, changes: written.map(one => ({answer: one.answer, before: one.seen, after: one.answer.state}))});
  });
}

function givePoints(group, points, goesOn = false) {
  mark(group, state => ({...state, points, open: points === null ? state.open : false}), goesOn);
}

function giveComment(group, comment) {
  comment = comment.trim();
  if (comment === (common(group, answer => answer.state.comment) ?? "")) return;
  mark(group, state => ({...state, comment}));
  remember(comment);
}

function remember(comment) {
  if (!comment || [...list.children].some(item => item.textContent === comment)) return;
  const item = document.createElement("li"), button = document.createElement("button");
  button.type = "button";
  button.textContent = comment;
  item.append(button);
  list.append(item);
  document.querySelector("#no-comments").hidden = true;
}

/** Add a comment of the list to the current answer's own. */
function giveAgain(item) {
  if (!item || !current) return;
  const own = current.comment.value.trim(), comment = item.textContent.trim();
  if (own.split("\n").includes(comment)) return;
  current.comment.value = own ? `${own}\n${comment}` : comment;
  giveComment(current, current.comment.value);
}

function undo() {
  const last = done.pop();
  if (!last) return say("There is nothing to undo on this page.");
  go(last.group);
  enqueue(last.group, async () => {
    const changes = last.changes.map(one => ({answer: one.answer, seen: one.after, new: one.before}));
    await send(changes, last.group);
    if (!failed) say("Undone.");
  });
}

function go(group, focus = true) {
  if (!group) return;
  if (group !== current) typed = "";
  current?.place.classList.remove("current");
  current = group;
  group.place.classList.add("current");
  if (focus) {
    group.place.focus({preventScroll: true});
    group.place.scrollIntoView({block: "start"});
  }
}

/** Leave the page when everything is saved; stay if something is not. */
function leave(address) {
  failed = false;
  document.activeElement?.blur();
  queue.then(() => { if (!failed) location.assign(address); });
}

/** Go to the next answer that is left, on this page or, by way of the list, on another question's. */
function next() {
  const at = groups.indexOf(current);
  const order = [...groups.slice(at + 1), ...groups.slice(0, at)];
  const open = order.find(group => isOpen(group) && !group.sending);
  if (open) return go(open);
  if (current && isOpen(current) && !current.sending) return say("Only this answer is left on this page.");
  const other = [...links.slice(here + 1), ...links.slice(0, here)].find(link => Number(link.dataset.left) > 0);
  if (other) return leave(other.href);
  queue.then(() => { if (!failed) say("All answers are marked."); });
}

function digit(key) {
  if (!current) return;
  if (key === "." && !/^\d+$/.test(typed)) typed = "0";
  const whole = typed + key, fits = /^(0|[1-9]\d{0,2})(\.\d?)?$/.test(whole) && Number(whole) <= most;
  const goesOn = fits && typed !== "";
  typed = fits ? whole : key;
  if (!(Number(typed) <= most)) {
    typed = "";
    return say(`This question has ${shown(most)} points.`, true);
  }
  if (key !== ".") givePoints(current, Number(typed), goesOn);
}

const byKey = {
  Enter: next,
  j: () => go(groups[groups.indexOf(current) + 1]),
  k: () => go(groups[groups.indexOf(current) - 1]),
  l: () => links[here + 1] && leave(links[here + 1].href),
  h: () => links[here - 1] && leave(links[here - 1].href),
  c: () => current?.comment.focus(),
  u: undo,
  n: () => leave(document.querySelector("#names").href),
  "?": () => keys.open ? keys.close() : keys.showModal(),
};

document.addEventListener("keydown", event => {
  const field = event.target.closest("textarea, input"), group = groups.find(one => one.place.contains(event.target));
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || (keys.open && event.key !== "?")) return;
  if (field) {
    if (event.key !== "Escape" && !(event.key === "Enter" && field.type === "number")) return;
    field.blur();  // which saves
    go(group);
    if (event.key === "Enter") next();
  } else if (event.shiftKey && /^Digit[1-9]$/.test(event.code)) giveAgain(list.children[Number(event.code.at(-1)) - 1]);
  else if (/^[0-9.,]$/.test(event.key)) digit(event.key.replace(",", "."));
  else if (event.key in byKey && !(event.key === "Enter" && event.target.closest("button, a, summary"))) {
    if (event.repeat && !"jk".includes(event.key)) return;
    typed = "";
    byKey[event.key]();
  } else return;
  event.preventDefault();
});

const step = most <= 5 ? 0.5 : 1;
for (const group of groups) {
  for (let points = 0; most <= 10 && points <= most; points += step) {
    const button = document.createElement("button");
    button.type = "button";
    button.value = points;
    button.textContent = shown(points);
    button.addEventListener("click", () => givePoints(group, points));
    group.quick.append(button);
  }
  group.place.addEventListener("focusin", () => go(group, false));
  group.place.addEventListener("click", () => go(group, false));
  group.comment.addEventListener("change", () => giveComment(group, group.comment.value));
  group.points.addEventListener("change", () => {
    if (group.points.checkValidity()) return givePoints(group, group.points.value === "" ? null : group.points.valueAsNumber);
    say(`Answer ${group.number} is not saved. Expected points from 0 to ${shown(most)}.`, true);
    failed = true;
  });
  show(group);
}
list.addEventListener("click", event => giveAgain(event.target.closest("li")));
document.querySelector("#undo").addEventListener("click", undo);
document.querySelector("#help").addEventListener("click", byKey["?"]);
for (const link of document.querySelectorAll("header a")) {
  link.addEventListener("click", event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    leave(link.href);
  });
}
addEventListener("beforeunload", event => { if (waiting) event.preventDefault(); });
const first = groups.find(isOpen) ?? groups[0];
if (first === groups[0]) first?.place.focus({preventScroll: true});
else go(first);
