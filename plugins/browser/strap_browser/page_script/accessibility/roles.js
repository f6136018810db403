// The table of roles: WAI-ARIA 1.3 with DPUB-ARIA 1.1 and Graphics-ARIA 1.0, and the roles that HTML's
// tags have (HTML-AAM 1.0). `snapshot/` reads it too.

import table from "../roles.json" with { type: "json" };

/** @type {{ [role: string]: string[] }} */
const ROLES = table.roles;
// What a role has to stand in; generic elements between the two do not count.
/** @type {{ [role: string]: string[] }} */
export const CONTEXTS = table.contexts;
/** @type {{ [role: string]: string }} */
export const SYNONYMS = table.synonyms;
// Of DPUB-ARIA and Graphics-ARIA, with the role of the core that each is shown as, if any.
/** @type {{ [role: string]: string }} */
export const EXTENSIONS = table.extensions;
export const PLAIN_TAGS = table.tags;
/** @type {{ [type: string]: string }} */
export const INPUTS = table.inputs;
export const rolesWith = (fact) =>
  new Set(Object.keys(ROLES).filter((role) => ROLES[role].includes(fact)));
export const isRole = (role) => Object.hasOwn(ROLES, role) || Object.hasOwn(EXTENSIONS, role);
