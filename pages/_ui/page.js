// Back is one step: choices rewrite the address of their page, only pages are steps.
//
// Streamlit would make every address that its server sends a step, also the next page's choices that arrive before that
// page does; the page that is left keeps the address that it had as its user pressed.
const turn = history.turn ??= history.pushState.bind(history);
if (!history.pressed) addEventListener("click", () => { history.pressed = location.href; }, true);
history.pressed ??= location.href;
history.pushState = (state, title, url) => {
  const path = new URL(url, location).pathname;
  if (path === location.pathname) return history.replaceState(state, title, url);
  if (new URL(history.pressed).pathname === location.pathname) history.replaceState(state, title, history.pressed);
  turn(state, title, url);
};

// A page runs again, with Streamlit's own key for that, once its colours have changed.
//
// What it drew has the colours of light or of dark ground in it, and Streamlit changes only those around.
history.scheme ??= matchMedia("(prefers-color-scheme: dark)");
history.scheme.onchange = () => setTimeout(() => ["keydown", "keyup"].forEach(
  kind => document.dispatchEvent(new KeyboardEvent(kind, {key: "r", code: "KeyR", keyCode: 82, which: 82}))), 300);
