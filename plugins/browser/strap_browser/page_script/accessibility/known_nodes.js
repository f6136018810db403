// Nodes of the last look at a document, to be told again for as long as it has not changed.

export const DEPTH = 100; // what is nested deeper stands beside what it is in
export class KnownNodes {
  constructor(nodes) {
    this.nodes = nodes;
    // How much was met that the texts in an element do not tell.
    this.untold = 0;
  }
  // Adds the node of before, unless refs of texts in it are asked for.
  adds(element, branch) {
    const node = !branch.keeps && !branch.lined && this.nodes?.get(element);
    if (!node || branch.places?.mayTellOf(element, node)) return false;
    branch.add(node);
    return true;
  }
  // Notes a node that is whole, where `untold` was that before it.
  note(element, node, untold, above) {
    if (!this.nodes) return;
    const isWhole = this.untold === untold && above.depth < DEPTH;
    if (isWhole && !above.places?.mayTell(element)) this.nodes.set(element, node);
  }
}
