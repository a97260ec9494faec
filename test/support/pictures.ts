/** The types of pictures that can be icons. */
export type PictureType = 'png' | 'jpeg' | 'gif' | 'webp-lossy' | 'webp-lossless' | 'webp-extended';

export const PICTURE_TYPES: readonly PictureType[] = [
  'png',
  'jpeg',
  'gif',
  'webp-lossy',
  'webp-lossless',
  'webp-extended',
];

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
const bigEndian = (value: number, bytes: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};
const littleEndian = (value: number, bytes: number): Buffer => bigEndian(value, bytes).reverse();

/** Returns the head of a picture of this size, with the surrounding bytes that its type requires; it cannot be decoded. */
export function aPicture(type: PictureType, width: number, height: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(PARTS[type](width, height)));
}

const riff = (...chunks: Buffer[]): Buffer[] => {
  const body = Buffer.concat([ascii('WEBP'), ...chunks]);
  return [ascii('RIFF'), littleEndian(body.length, 4), body];
};

const PARTS: Readonly<Record<PictureType, (width: number, height: number) => Buffer[]>> = {
  png: (width, height) => [
    ascii('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'),
    bigEndian(width, 4),
    bigEndian(height, 4),
    Buffer.from([8, 6, 0, 0, 0, 0, 0, 0, 0]),
    ascii('\0\0\0\0IEND\xaeB`\x82'),
  ],
  gif: (width, height) => [
    ascii('GIF89a'),
    littleEndian(width, 2),
    littleEndian(height, 2),
    Buffer.from([0, 0, 0, 0x3b]),
  ],
  jpeg: (width, height) => [
    // APP0, then a marker with fill bytes, then a comment, then the frame header.
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xff, 0xfe, 0, 3, 0xff]),
    Buffer.from([0xff, 0xc2, 0, 11, 8]),
    bigEndian(height, 2),
    bigEndian(width, 2),
    Buffer.from([1, 1, 0x11, 0, 0xff, 0xd9]),
  ],
  'webp-lossy': (width, height) =>
    riff(
      ascii('VP8 '),
      littleEndian(10, 4),
      Buffer.from([0, 0, 0, 0x9d, 0x01, 0x2a]),
      littleEndian(width, 2),
      littleEndian(height, 2),
    ),
  'webp-lossless': (width, height) =>
    riff(
      ascii('VP8L'),
      littleEndian(10, 4),
      Buffer.from([0x2f]),
      littleEndian(width - 1 + (height - 1) * 0x4000, 4),
      Buffer.alloc(5),
    ),
  'webp-extended': (width, height) =>
    riff(
      ascii('VP8X'),
      littleEndian(10, 4),
      Buffer.from([0x10, 0, 0, 0]),
      littleEndian(width - 1, 3),
      littleEndian(height - 1, 3),
    ),
};
