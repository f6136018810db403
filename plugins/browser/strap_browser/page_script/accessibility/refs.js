// Refs: an element keeps its number; its version tells whether it is called otherwise, or about something else.

import { editorName, editorOf } from "../dom/code_editor.js";
import { behind, DRAWN } from "./interactive.js";
import { nameForRef } from "./name.js";
import { forgetSubjects } from "./record_texts.js";
import { authored, roleOf } from "./role_and_name.js";
import { subjectKey, subjectsOf } from "./subjects.js";

export const FRAMES = new Set(["frame", "iframe"]);
const MOST = 50000;
const id = crypto.getRandomValues(new Uint32Array(2)).join("-");
const known = new WeakMap();
const found = new Map();
let last = 0;
const remember = (element, own) => {
  known.set(element, own);
  found.set(own.number, new WeakRef(element));
  if (found.size > MOST) found.delete(found.keys().next().value);
  return own;
};
// How an element was known, with the version of then: what is as it was has that again.
const VERSIONS = 50;
const versionKey = ({ role, kept, subject }) => JSON.stringify([role, kept, subject]);
const note = (own, role, kept, found) => {
  const subject = found || own.subject || "";
  const isOther = own.role !== role || own.kept !== kept || own.subject !== subject;
  if (own.role && isOther) {
    if (!(own.versions?.size < VERSIONS)) own.versions = new Map([[versionKey(own), own.version]]);
    const key = versionKey({ role, kept, subject });
    if (!own.versions.has(key)) own.versions.set(key, ++own.newest);
    own.version = own.versions.get(key);
  }
  return Object.assign(own, { role, kept, subject });
};
const begun = () => ({ number: ++last, version: 0, newest: 0 });
// What acts is about the record around it, and a record about itself.
const ACTS = /^(button|checkbox|link|menuitem.*|option|radio|switch|tab|treeitem)$/;
const FIELD = /^(combobox|listbox|searchbox|slider|spinbutton|textbox)$/;
const RECORD = /^(article|listitem|row)$/;
const useOf = (role, pointer) =>
  pointer || ACTS.test(role) || FIELD.test(role) ? 2 : RECORD.test(role) ? 1 : 0;
const about = (element, use) => (use ? subjectsOf(element, use === 2) : []);
const keyOfSubject = (element, use) => (use ? subjectKey(element, use === 2) : "");
export const refOf = (element, { role, kept, brief, pointer }) => {
  const own = known.get(element) || remember(element, begun());
  const use = useOf(role, pointer);
  const subject = keyOfSubject(element, use);
  // A short name says nothing of a longer one: the page calls it as before.
  if (own.brief !== brief && own.role === role) own.kept = kept;
  if (own.use !== use || !own.subject) own.subject = subject;
  if (own.use !== use || own.brief !== brief) own.versions?.set(versionKey(own), own.version);
  Object.assign(own, { brief, use });
  return note(own, role, kept, subject);
};
// What an element is called: an editor of code is not always named by its field.
export const calledForRef = (element, role, brief) => {
  const editor = role === "textbox" && editorOf(element);
  const field = behind(element);
  const named = field && authored(field) ? field : element;
  const meant = editor ? editorName(editor, element) : named;
  const { name, kept } = nameForRef(meant, role, brief);
  return { role, brief, name, kept };
};
export const shownRole = (element) => {
  if (FRAMES.has(element.localName)) return "iframe";
  const field = behind(element);
  const role = roleOf(field || element, true);
  return role === "generic" && DRAWN.has(element.localName) ? element.localName : role;
};
// What an element that was shown is called now, and the version of that; and what it is about, if that
// was something else in the `version` of before.
export const currentRef = (element, version) => {
  const own = known.get(element);
  if (!own?.role) return { version: own ? own.version : 0 };
  forgetSubjects();
  const { role, name, kept } = calledForRef(element, shownRole(element), own.brief);
  own.subject ||= keyOfSubject(element, own.use);
  const told = {
    role,
    name,
    version: note(own, role, kept, keyOfSubject(element, own.use)).version,
  };
  const [was] = [...(own.versions || [])].find((each) => each[1] === version) || [];
  const isElsewhere = was && JSON.parse(was)[2] !== own.subject;
  return isElsewhere ? { ...told, about: about(element, own.use) } : told;
};
// What an element is called now, whether or not it was ever shown.
export const tellRef = (element) => {
  const { brief, use } = known.get(element) || {};
  const role = shownRole(element);
  forgetSubjects();
  const { name, kept } = calledForRef(element, role, brief);
  const own = refOf(element, { role, kept, brief, pointer: use === 2 });
  return { ref: refer(element), role, name, version: own.version, about: about(element, own.use) };
};
// The text that says most closely what it is about.
export const subjectOf = (element) => about(element, known.get(element).use)[0]?.name || "";
// A ref for an element that may not have been shown yet: the outline completes it.
export const numberOf = (element) => remember(element, known.get(element) || begun()).number;
export const versionOf = (element) => known.get(element)?.version || undefined;
export const refer = (element) => `${id}.${numberOf(element)}`;
// The element of a ref, null if it is gone, or was another document's.
export const elementOfRef = (ref) => {
  const [of, number] = ref.split(".");
  const element = of === id && found.get(Number(number))?.deref();
  return element?.isConnected ? element : null;
};
export const documentId = () => id;
