// The contract between the page script and strap's Python side (`interaction/page_state.py`): the
// arguments of each command and its answer. Python sends them as JSON, and leaves out what is None.

/** A place or a size in CSS pixels of the window: x, y, width, height. */
export type Box = [x: number, y: number, width: number, height: number];
/** An offset from the top left corner of an element, in CSS pixels. */
export type Offset = [x: number, y: number];

/** What every answer about a document begins with. */
export interface Info {
  url: string;
  title: string;
  /** The number of elements. */
  size: number;
  body: boolean;
  /** The media type. */
  kind: string;
}
/** Why an action cannot be done; `final` if waiting does not help. */
export interface Refusal {
  ok: false;
  why: string;
  final?: boolean;
  [detail: string]: any;
}
/** Where to press, and the pointer's place if it has to move away first. */
export interface Reached {
  ok: true;
  x?: number;
  y?: number;
  rests?: Offset;
  rect: number[];
  framed: boolean;
  /** What its author put on it: `actions/marks.js`. */
  marks: { [kind: string]: string | boolean };
}
export type Checked = Reached | Refusal;
export type Check = (element: Element, asked: CheckArguments) => Checked;
export interface CheckArguments {
  token: string;
  at?: Offset;
  /** The box of the last check, to tell whether it moves. */
  rect?: number[];
  settled?: boolean;
  drags?: boolean;
  point?: boolean;
  guard?: boolean;
}
/** A node of an outline; `snapshot/nodes.py` reads it. */
export type OutlineNode = string | { role: string; children?: OutlineNode[]; [fact: string]: any };
export interface Outline extends Info {
  id: string;
  /** The number of the document among its parent's frames, -1 if it has none. */
  frame: number;
  tree: OutlineNode[];
  lines: number;
  drawn: boolean;
  restless: string[];
  /** The name of one that is not solved, "" for none. */
  captcha: string;
  unasked?: boolean;
  /** Whether it can be asked about later, by its token. */
  kept?: boolean;
}
/** Milliseconds to wait for a change, by the pace of the page. */
export interface Pauses {
  idle: number;
  busy: number;
  undrawn: number;
}
export interface ReportArguments {
  token: string;
  value?: boolean;
  rest?: boolean;
  drags?: boolean;
  key?: boolean;
  learned?: boolean;
  look?: { most: number; places?: any; pauses?: Pauses; known?: boolean };
}
/** What happened since a token; `same` is false in another document. */
export interface Report extends Partial<Info> {
  same: boolean;
  changes?: number;
  quiet?: number;
  motion?: number;
  pace?: string;
  [fact: string]: any;
}
type Command<Arguments = {}, Answer = { [fact: string]: any }> = (
  element: any,
  asked: Arguments,
) => Answer;
export interface Commands {
  check: Check;
  info: Command<{}, Info>;
  fill: Command<any, Refusal | { ok: true; mode: string; [fact: string]: any }>;
  select: Command<any>;
  focus: Command<any>;
  paste: Command<any>;
  copy: Command<any>;
  watch: Command<{ token: string }, { focus: string; ref: string; quiet: number }>;
  focused: Command<{}, { focus: string; ref: string }>;
  selected: Command<{ token: string }, { selected: string }>;
  named: Command<{ focus?: boolean; x?: number; y?: number }>;
  report: Command<ReportArguments, Report>;
  changed: Command<{ token: string }>;
  unchanged: Command<{ token: string }, Info & { unchanged: boolean; restless: string[] }>;
  outline: Command<
    {
      token?: string;
      before?: string;
      places?: any;
      most?: number;
      learned?: boolean;
      first?: boolean;
    },
    Partial<Outline>
  >;
  at: Command<{ x: number; y: number }, { tag: string; what: string; veil: any }>;
  box: Command<{}, { window: number[]; framed: boolean; rect: number[] }>;
  aimed: Command<{ token: string }, { rect: number[] | null }>;
  resolve: Command<{ path: string }>;
  every: Command<{ path: string; inside?: string[]; controls?: boolean }>;
  marked: Command<{ refs: string[] }, { found: { [kind: string]: string | boolean }[] }>;
  barrier: Command<{}, { found: string[]; modal?: boolean }>;
  attributes: Command<{ names: string[] }>;
  view: Command<{}, { view: number[] }>;
  places: Command<{ refs: string[]; view?: number[]; hit: boolean; most: number }>;
  audit: Command<{ kinds: string[]; framed?: boolean }, { findings: any[] }>;
  layout: Command<{ refs: string[] }>;
  topmost: Command<{ at: number[][] }, { tags: string[] }>;
  cover: Command<{ origins: string[] }, { may: boolean; origin: string; posts: string }>;
  enter: Command<{ text: string; origins: string[]; whole?: boolean }>;
  stored: Command<{ start: number; most: number; entry: number }, { items: any[]; rest: boolean }>;
  store: Command<{ items: { name: string; value: string }[] }>;
  shown: Command<{}, { shown: boolean }>;
  described: Command<{}, { described: string }>;
  has: Command<{ text: string; most_ms: number }, { found: boolean | null }>;
  texts: Command<{ path?: string; room: number; most_ms: number }>;
  scroll: Command<any>;
  markup: Command<{ lift?: boolean; unfold?: boolean }>;
  onward: Command<{}, { several?: number; href?: string; ref?: string }>;
  told: Command<{}, { html: string }>;
  veiled: Command<{}, { waiting: number; hidden: number; seen: number }>;
  text: Command<{}, Info & { text: string }>;
}
export interface Question {
  op: keyof Commands;
  ref?: string;
  version?: number;
  selector?: string;
  token?: string;
  pauses?: Pauses;
  [argument: string]: any;
}

declare global {
  // A page has elements of all kinds: what is asked of one that has none is undefined.
  interface Node {
    data?: any;
    matches?: any;
  }
  interface Element {
    value?: any;
    checked?: any;
    innerText?: any;
    selectionStart?: any;
    selectionEnd?: any;
    contentWindow?: Window | null;
  }
  interface AnimationEffect {
    target?: Element | null;
  }
  // Newer, or older, than TypeScript's list.
  interface CSSStyleDeclaration {
    interactivity: string;
    webkitTextSecurity: string;
  }
}
