/** The options page: shows the connection and the shared tabs, and takes the pairing secret. */

import { portIn, readPairing, secretIn } from "./settings.js";
import { wording } from "./wording.js";

const element = (id) => document.getElementById(id);

async function showConnection() {
  const [{ state = "unpaired" }, { secret, port }] = await Promise.all([
    chrome.storage.session.get("state"),
    readPairing(chrome),
  ]);
  const { headline, advice } = wording(state, port);
  element("connection").dataset.state = state;
  element("state").textContent = headline;
  element("advice").textContent = advice;
  element("advice").hidden = !advice;
  element("connect").hidden = state !== "replaced";
  element("secret").placeholder = secret ? "Paired. Paste another secret to replace it." : "";
  element("forget").hidden = !secret;
  element("save").textContent = secret ? "Save" : "Pair";
}

async function showTabs() {
  const { granted = [] } = await chrome.storage.session.get("granted");
  const found = await Promise.allSettled(granted.map((id) => chrome.tabs.get(id)));
  const tabs = found.flatMap(({ value }) => value ?? []);
  element("tabs").replaceChildren(...tabs.map(row));
  element("none").hidden = tabs.length > 0;
}

function row(tab) {
  const title = tab.title || tab.url;
  const item = document.createElement("li");
  const words = item.appendChild(document.createElement("div"));
  words.appendChild(document.createElement("strong")).textContent = title;
  words.appendChild(document.createElement("span")).textContent = tab.url;
  const button = item.appendChild(document.createElement("button"));
  button.type = "button";
  button.textContent = "Stop sharing";
  button.setAttribute("aria-label", `Stop sharing ${title}`);
  button.addEventListener("click", () =>
    chrome.runtime.sendMessage({ type: "revoke", tabId: tab.id }),
  );
  return item;
}

async function pair(event) {
  event.preventDefault();
  const kept = await readPairing(chrome);
  const typed = element("secret").value;
  const secret = typed.trim() === "" ? kept.secret : secretIn(typed);
  const port = portIn(element("port").value);
  if (!secret) {
    refuse(
      "secret",
      "That is not a secret of strap's. Paste the 43 characters that strap chrome pair shows.",
    );
  } else if (!port) {
    refuse("port", "A port is a number from 1 to 65535.");
  } else {
    refuse("", "");
    element("secret").value = "";
    await chrome.storage.local.set({ secret, port });
    chrome.runtime.sendMessage({ type: "connect" }); // if that was what it has already
  }
}

function refuse(field, problem) {
  element("problem").textContent = problem;
  for (const id of ["secret", "port"]) {
    element(id).setAttribute("aria-invalid", String(id === field));
  }
  element(field)?.focus();
}

element("pairing").addEventListener("submit", pair);
element("forget").addEventListener("click", () => chrome.storage.local.remove("secret"));
element("connect").addEventListener("click", () => chrome.runtime.sendMessage({ type: "connect" }));
chrome.storage.onChanged.addListener(() => Promise.all([showConnection(), showTabs()]));
chrome.tabs.onUpdated.addListener(showTabs);

element("port").value = (await readPairing(chrome)).port;
await Promise.all([showConnection(), showTabs()]);
