// Exchanges the token of the server for a cookie, forgets the token, and ends the cookie.

import { byId } from "./dom.js";
import { request } from "./server.js";

/** Logs in with the token in the address, if there is one; returns whether that worked. */
export async function logInByAddress() {
  const found = /^#token=([0-9a-fA-F]+)$/.exec(location.hash);
  if (!found) return false;
  // Nobody finds it in the history of the browser.
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await request("POST", "login", { token: found[1] });
    if (byId("login").open) byId("login").close("done");
    return true;
  } catch (error) {
    byId("login-failure").textContent = error.message;
    return false;
  }
}

/** Asks a person for the token until it is right. */
export function askForToken() {
  const dialog = byId("login");
  const field = byId("token");
  return new Promise((resolve) => {
    const submitted = async (event) => {
      event.preventDefault();
      try {
        await request("POST", "login", { token: field.value.trim() });
        byId("login-failure").textContent = "";
        dialog.close("done");
      } catch (error) {
        byId("login-failure").textContent = error.message;
      }
    };
    const closed = () => {
      if (dialog.returnValue !== "done") return dialog.showModal();
      field.value = "";
      dialog.returnValue = "";
      dialog.removeEventListener("submit", submitted);
      dialog.removeEventListener("close", closed);
      resolve();
    };
    dialog.addEventListener("submit", submitted);
    dialog.addEventListener("close", closed);
    dialog.showModal();
  });
}

/**
 * Ends the cookie, at the server and in the browser, and begins anew: nothing that the page has read
 * stays in it.
 */
export async function logOut() {
  await request("POST", "logout");
  location.replace(location.pathname);
}
