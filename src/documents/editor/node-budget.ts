import { type EditorNode } from './editor-node';

/** Thrown when a text needs more nodes than a document can have. */
export class TooManyNodesError extends Error {}

/** Counts the nodes of a document, so that a crafted text cannot become a document many times its size. */
export class NodeBudget {
  private used = 0;

  constructor(private readonly most: number) {}

  /** @throws TooManyNodesError */
  node(node: EditorNode): EditorNode {
    if (++this.used > this.most) throw new TooManyNodesError();
    return node;
  }
}
