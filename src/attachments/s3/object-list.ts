/** An object of a bucket. */
export interface ListedObject {
  name: string;
  /** In bytes. */
  size: number;
  /** When it was written, in milliseconds since 1970; NaN if the server does not say. */
  written: number;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Parses a response of `ListObjects`. */
export function readObjectList(xml: string): { objects: ListedObject[]; isTruncated: boolean } {
  const objects: ListedObject[] = [];
  for (const [, content = ''] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
    const name = /<Key>(.*?)<\/Key>/s.exec(content)?.[1];
    const size = /<Size>(\d+)<\/Size>/.exec(content)?.[1];
    const written = Date.parse(/<LastModified>(.*?)<\/LastModified>/s.exec(content)?.[1] ?? '');
    if (name !== undefined && size !== undefined) {
      objects.push({ name: decode(name), size: Number(size), written });
    }
  }
  return { objects, isTruncated: xml.includes('<IsTruncated>true</IsTruncated>') };
}

function decode(text: string): string {
  return text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi,
    (entity, hexadecimal?: string, decimal?: string, name = '') => {
      if (hexadecimal !== undefined) return toCharacter(parseInt(hexadecimal, 16), entity);
      if (decimal !== undefined) return toCharacter(Number(decimal), entity);
      return ENTITIES[name as string] ?? entity;
    },
  );
}

const toCharacter = (code: number, otherwise: string): string =>
  code <= 0x10ffff ? String.fromCodePoint(code) : otherwise;
