// Back is one step: to what was shown before the last choice, or to the page before.
//
// Streamlit writes what its widgets say over the address, and makes every address that its server sends a step, also
// the next page's choices that arrive before that page does. Here the first address after a press is the step, unless
// it follows another within a moment, as where a slider is moved on; those that come later belong to it. A page is one
// always, and the one that is left keeps the address that it had as its user pressed. A run that Back came upon still
// says what it was of, as if it were of the page that one is on now, or leads to its own: another page, and what
// addresses that were left said, are written again only once something was pressed.
const MOMENT = 1000;
const step = history.step ??= {
  turn: history.pushState.bind(history), write: history.replaceState.bind(history), when: 0, last: 0,
  here: location.href, left: new Set(),
};
if (!step.made) ["pointerdown", "keydown"].forEach(kind => addEventListener(kind, event => {
  if (event.isTrusted) Object.assign(step, {made: "no", when: Date.now(), pressed: location.href, left: new Set()});
}, true));
if (!step.made) addEventListener("popstate", () => {
  step.left.add(new URL(step.here).search);
  Object.assign(step, {made: "yes", here: location.href});
}, true);
step.made ??= "yes";
history.pushState = history.replaceState = (state, title, url) => {
  const address = new URL(url, location), page = address.pathname !== location.pathname, {made, when, last} = step;
  if (address.href === location.href) return step.write(state, title, url);
  if (page ? step.left.size : step.left.has(address.search)) return;
  if (page && made === "joined") step.write(state, title, step.pressed);
  const turns = page ? made !== "yes" : made === "no" && when - last > MOMENT;
  step.made = page || turns ? "yes" : made === "no" ? "joined" : made;
  step.last = when;
  (turns ? step.turn : step.write)(state, title, url);
  step.here = location.href;
};

// A page runs again, with Streamlit's own key for that, once its colours have changed.
//
// What it drew has the colours of light or of dark ground in it, and Streamlit changes only those around.
history.scheme ??= matchMedia("(prefers-color-scheme: dark)");
history.scheme.onchange = () => setTimeout(() => ["keydown", "keyup"].forEach(
  kind => document.dispatchEvent(new KeyboardEvent(kind, {key: "r", code: "KeyR", keyCode: 82, which: 82}))), 300);
