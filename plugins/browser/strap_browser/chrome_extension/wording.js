/** What the options page says about the connection. */

/** Headline and advice of a state; the advice may be empty. */
export function wording(state, port) {
  switch (state) {
    case "connected":
      return { headline: `Connected to strap on port ${port}`, advice: "" };
    case "waiting":
      return {
        headline: "Waiting for strap",
        advice: `Nothing answers on port ${port}. It connects by itself when an agent starts strap.`,
      };
    case "refused":
      return {
        headline: "The secret does not fit",
        advice: `Whatever answers on port ${port} has another secret. Pair again below.`,
      };
    case "replaced":
      return {
        headline: "Another Chrome is connected",
        advice: "strap talks to one Chrome at a time, and another one connected after this one.",
      };
    default:
      return {
        headline: "Not paired",
        advice: "Pair this Chrome with strap below; it is done once.",
      };
  }
}
