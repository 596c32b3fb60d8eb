/* Runs before the first paint: the stored theme, else the system's. */
(function () {
  "use strict";
  var stored = null;
  try {
    stored = JSON.parse(window.localStorage.getItem("theme"));
  } catch (error) {
    stored = null; // no storage, or not ours: the system's theme it is
  }
  var dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = stored === "dark" || stored === "light" ? stored : dark ? "dark" : "light";
})();
