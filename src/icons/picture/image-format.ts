/** The format and size of a picture according to its header. */
export interface ImageFormat {
  /** The file name extension, and the subtype of the content type `image/…`. */
  type: 'png' | 'jpeg' | 'webp' | 'gif';
  /** In pixels. */
  width: number;
  height: number;
}

const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
const PNG_END = Buffer.from('\0\0\0\0IEND\xaeB`\x82', 'latin1');
const GIF_START = /^GIF8[79]a$/;
/** Returns whether a JPEG marker starts a frame header: C0 to CF, except for three with other meanings. */
const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
const JPEG_SCAN = 0xda;

/**
 * Detects the format of a picture by its bytes alone, and reads the size in its header. Decodes nothing.
 * @returns undefined when it has none of the four formats, or ends before its header does
 */
export function imageFormatOf(content: Buffer): ImageFormat | undefined {
  const format = pngOf(content) ?? gifOf(content) ?? webpOf(content) ?? jpegOf(content);
  return format && format.width > 0 && format.height > 0 ? format : undefined;
}

function pngOf(content: Buffer): ImageFormat | undefined {
  if (content.length < 33 + PNG_END.length || !content.subarray(0, 16).equals(PNG_START)) return undefined;
  if (!content.subarray(-PNG_END.length).equals(PNG_END)) return undefined;
  return { type: 'png', width: content.readUInt32BE(16), height: content.readUInt32BE(20) };
}

function gifOf(content: Buffer): ImageFormat | undefined {
  if (content.length < 13 || !GIF_START.test(content.toString('latin1', 0, 6))) return undefined;
  return { type: 'gif', width: content.readUInt16LE(6), height: content.readUInt16LE(8) };
}

function webpOf(content: Buffer): ImageFormat | undefined {
  if (content.length < 30 || content.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  if (content.toString('latin1', 8, 12) !== 'WEBP' || content.readUInt32LE(4) + 8 > content.length)
    return undefined;
  switch (content.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { type: 'webp', width: content.readUIntLE(24, 3) + 1, height: content.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      if (content[20] !== 0x2f) return undefined;
      const bits = content.readUInt32LE(21);
      return { type: 'webp', width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      if (content.readUIntBE(23, 3) !== 0x9d012a) return undefined;
      return {
        type: 'webp',
        width: content.readUInt16LE(26) & 0x3fff,
        height: content.readUInt16LE(28) & 0x3fff,
      };
    default:
      return undefined;
  }
}

/** Skips segments, each at least two bytes long, until the frame header. */
function jpegOf(content: Buffer): ImageFormat | undefined {
  if (content.length < 4 || content.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 <= content.length) {
    if (content[at] !== 0xff) return undefined;
    const marker = content[at + 1] as number;
    // A marker may be preceded by any number of FF bytes.
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === JPEG_SCAN || marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd9)) return undefined;
    if (isFrameHeader(marker)) {
      return { type: 'jpeg', width: content.readUInt16BE(at + 7), height: content.readUInt16BE(at + 5) };
    }
    const length = content.readUInt16BE(at + 2);
    if (length < 2) return undefined;
    at += 2 + length;
  }
  return undefined;
}
