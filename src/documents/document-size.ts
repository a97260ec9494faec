/** The texts of a document: the editor's document as JSON, and the text without formatting. */
export interface DocumentTexts {
  json: string;
  plain: string;
}

/** Returns the size of a document (`Document.size`), in characters. */
export const documentSize = ({ json, plain }: DocumentTexts): number => json.length + plain.length;
