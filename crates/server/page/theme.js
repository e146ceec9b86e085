// The colours of the page: those of the system, or the ones that a person has chosen in this browser.

/** Lets a button change the theme, and shows the one that was chosen before. */
export function offerThemes(button) {
  let chosen = 0;
  try {
    chosen = Math.max(THEMES.indexOf(localStorage.getItem(PLACE)), 0);
  } catch {
    // A browser that keeps nothing for this page has the theme of the system.
  }
  const show = () => {
    const theme = THEMES[chosen];
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  };
  button.addEventListener("click", () => {
    chosen = (chosen + 1) % THEMES.length;
    try {
      localStorage.setItem(PLACE, THEMES[chosen]);
    } catch {
      // It holds until the page is left.
    }
    show();
  });
  show();
}

const THEMES = ["system", "light", "dark"];
const PLACE = "theme";
