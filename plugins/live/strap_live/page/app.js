// The live view: a list of places, or one of them.

import { allow, begin, leave, notice, update } from "./control.js";
import { $, element, mark, spell } from "./dom.js";
import { onCopied, showMenu } from "./hands.js";
import * as past from "./past.js";
import { aim, clear, draw, drawSmall, point, see } from "./screen.js";
import { Connection, OPEN } from "./socket.js";
import { onLook, showTabs } from "./tabs.js";
import { add, lastEntry, reset } from "./timeline.js";

const RUN_ID = 36; // characters: those of places are shorter
const THUMBNAILS = 2000; // milliseconds
const WORDS = { open: "connected", lost: "reconnecting…" };
const REASONS = {
  gone: ["strap has ended", "Start it again, and open a new link with `strap live`."],
  stranger: [
    "This link does not work any more",
    "A link works once, for five minutes. Ask for a new one: `strap live`, or the action `live`.",
  ],
  foreign: ["This strap is another user's", "Only the user of this machine who runs it may watch."],
  closed: ["All views were closed", "`strap live` opens one again."],
  cut: ["Disconnected", "Too much at once, or too slow. Reload the page to come back."],
};
const app = { places: [], place: null, page: null, shown: null, cards: new Map(), wanted: null };

const DEFAULTS = ["nebo", "local"]; // names that say nothing
const nameOf = ({ kind, profile, title }) =>
  kind === "run"
    ? `Run: ${title}`
    : ["Browser", profile, title].filter((each) => !DEFAULTS.includes(each)).join(" · ");

function show(view) {
  document.body.dataset.view = view;
  for (const name of ["list", "place", "gone"]) $(name).hidden = name !== view;
  if (view === "list") $("title").textContent = "Browsers";
}

/** Open a place, or a run that is kept; where a link names none, the only place there is. */
function openWanted() {
  const fresh = document.body.dataset.view === "wait";
  const only = app.places.length === 1 && app.places[0].id;
  const wanted = app.wanted ?? (fresh && only);
  const place = app.places.find((each) => each.id === wanted);
  if (!wanted || !(place || wanted.length === RUN_ID)) return;
  app.wanted = null;
  if (place) open(place.id);
  else lookBack(wanted);
}

function lookBack(id) {
  sessionStorage.setItem(OPEN, id);
  if (app.place) connection.send({ type: "close" });
  app.place = null;
  reset();
  clear();
  leave();
  showTabs({ pages: [] });
  show("place");
  past.open(id);
}

function onState(state) {
  const link = $("link");
  link.textContent = WORDS[state] ?? "disconnected";
  mark(link, "data-good", state === "open");
  mark(document.body, "data-lost", state !== "open");
  if (state === "open" && app.place) open(app.place, app.page);
  const [title, text] = REASONS[state] ?? [];
  if (title) {
    $("gone-title").textContent = title;
    $("gone-text").textContent = text;
    show("gone");
  }
}

function open(id, page = null) {
  if (app.place !== id) {
    reset();
    clear();
  }
  past.close();
  sessionStorage.setItem(OPEN, id);
  app.place = id;
  app.page = page;
  const since = lastEntry();
  connection.send({ type: "open", place: id, since, ...(page ? { page } : {}) });
  show("place");
}

function list() {
  sessionStorage.setItem(OPEN, "");
  if (app.place) connection.send({ type: "close" });
  app.place = null;
  past.close();
  past.list();
  show("list");
  look();
}

function onPlaces(places) {
  app.places = places;
  const known = new Map(app.cards);
  app.cards.clear();
  for (const place of places) {
    const card = known.get(place.n) ?? newCard(place);
    app.cards.set(place.n, card);
    card.fill(place);
  }
  $("places").replaceChildren(...[...app.cards.values()].map((card) => card.node));
  $("none").hidden = places.length > 0;
  openWanted();
  if (document.body.dataset.view === "wait") list();
  past.going(places);
}

function newCard(place) {
  const node = element("button", { className: "card" });
  const picture = element("canvas", { width: 320, height: 180, "aria-hidden": "true" });
  const about = element("span", { className: "about" });
  const [title, where, more] = [element("strong"), element("small"), element("small")];
  about.append(title, where, more);
  node.append(picture, about);
  node.addEventListener("click", () => open(place.id));
  const fill = (told) => {
    title.textContent = told.page || nameOf(told);
    const whose = `${told.yours ? "you have" : "private: a person has"} control`;
    where.textContent = told.state === "held" ? whose : told.url || "no page yet";
    const watching = told.watched ? `${told.watched} watching` : "nobody is watching";
    more.textContent = told.asks ? "waits for your yes" : watching;
    mark(node, "data-asks", told.asks);
  };
  return { node, picture, fill };
}

function onPlace(told) {
  if (told.id !== app.place) return;
  $("title").textContent = nameOf(told);
  update(told);
  $("back-look").hidden = !told.run;
  app.run = told.run;
  const secret = told.holder === "other" && !told.shared;
  const over = told.state === "over";
  const ended = told.run ? "Ended: Look back shows it." : "Closed";
  $("empty").textContent = secret ? "Private" : over ? ended : "Waiting for the first picture…";
  if (secret || (over && !told.run)) clear(); // a run's last picture stays
  const shown = told.pages.find((page) => page.id === told.shown);
  app.shown = told.shown;
  see(told.shown);
  app.page = shown?.current ? null : told.shown;
  const url = shown?.url ?? "";
  $("address").textContent = url || (secret ? "private" : "no page");
  if (document.activeElement !== $("url")) $("url").value = url;
  showTabs(told);
}

const HANDLERS = {
  welcome: (told) => {
    const kept = sessionStorage.getItem(OPEN) ?? (told.place || null);
    if (document.body.dataset.view === "wait") app.wanted = kept;
    allow(told.role);
    $("role").hidden = told.role !== "watch";
    $("role").textContent = "watching only";
    $("close-views").hidden = told.role === "watch";
  },
  places: (told) => onPlaces(told.places),
  place: onPlace,
  entry: add,
  aim: (told) => told.place === app.place && aim(told.page === app.shown ? told.box : null),
  pointer: (told) => told.place === app.place && point(told),
  runs: past.onRuns,
  run: past.onRun,
  events: past.onEvents,
  copied: (told) => onCopied(told.text),
  menu: (told) => told.place === app.place && showMenu(told),
  refused: (told) => {
    if (told.of === "open" || told.of === "run") list();
    else notice(told.text);
  },
};

function onPicture(picture) {
  if (picture.kind === 2) {
    past.onPicture(picture);
    return;
  }
  if (picture.kind === 3) {
    const card = app.cards.get(picture.place);
    if (card) drawSmall(card.picture, picture);
    return;
  }
  draw(picture, (shown) => {
    connection.send({ type: "ack", seq: picture.seq });
    if (!shown) return;
    const kind = picture.still ? "still" : "live";
    const age = Math.max(0, Date.now() - picture.at);
    $("stats").textContent = `${picture.width} × ${picture.height} · ${kind} · ${spell(age)}`;
  });
}

function look() {
  if (document.hidden || document.body.dataset.view !== "list") return;
  for (const place of app.places) {
    const box = app.cards.get(place.n)?.node.getBoundingClientRect();
    if (box && box.top < innerHeight && box.bottom > 0) {
      connection.send({ type: "thumbnail", place: place.id });
    }
  }
}

$("home").addEventListener("click", list);
$("back-look").addEventListener("click", () => lookBack(app.run));
document.addEventListener("visibilitychange", () => {
  connection.send({ type: "pace", visible: !document.hidden });
});
setInterval(look, THUMBNAILS);
$("close-views").addEventListener("click", () => {
  if (confirm("Disconnect everybody, this page too, and void all links?")) {
    connection.send({ type: "close_views" });
  }
});
onLook((page) => open(app.place, page.current ? null : page.id));

const connection = new Connection({
  message: (told) => HANDLERS[told.type]?.(told),
  picture: onPicture,
  state: onState,
});
begin(connection);
past.begin(connection, { open: lookBack, live: open });
