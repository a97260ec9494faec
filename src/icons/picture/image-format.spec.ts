import { aPicture, PICTURE_TYPES } from '../../../test/support/pictures';
import { imageFormatOf } from './image-format';

const picture = (...parameters: Parameters<typeof aPicture>): Buffer => Buffer.from(aPicture(...parameters));

describe('imageFormatOf', () => {
  it.each(PICTURE_TYPES)('reads the size of a %s picture', (type) => {
    const expected = { type: type.split('-')[0], width: 640, height: 301 };
    expect(imageFormatOf(picture(type, 640, 301))).toEqual(expected);
    expect(imageFormatOf(picture(type, 2048, 1))).toEqual({ ...expected, width: 2048, height: 1 });
  });

  it.each(PICTURE_TYPES)('refuses an empty, truncated or disguised %s picture', (type) => {
    const whole = picture(type, 640, 480);
    const needed = { gif: 13, jpeg: 23 }[type as string] ?? whole.length;
    for (let length = 0; length < needed; length++) {
      expect(imageFormatOf(whole.subarray(0, length))).toBeUndefined();
    }
    expect(imageFormatOf(Buffer.concat([Buffer.from('<svg/>'), whole]))).toBeUndefined();
  });

  it.each(['png', 'jpeg', 'gif', 'webp-lossy'] as const)(
    'refuses a %s picture without width or height',
    (type) => {
      expect(imageFormatOf(picture(type, 0, 10))).toBeUndefined();
      expect(imageFormatOf(picture(type, 10, 0))).toBeUndefined();
    },
  );

  it.each([
    ['plain text', 'GIF'],
    ['markup', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['a BMP', `BM${'\0'.repeat(100)}`],
    ['a RIFF file of another type', `RIFF\x20\0\0\0WAVEfmt ${'\0'.repeat(40)}`],
    ['a WebP of an unknown type', `RIFF\x20\0\0\0WEBPVP9 ${'\0'.repeat(40)}`],
    ['a WebP without start code', `RIFF\x20\0\0\0WEBPVP8 ${'\x01'.repeat(40)}`],
    ['a lossless WebP without its sign', `RIFF\x20\0\0\0WEBPVP8L${'\x01'.repeat(40)}`],
    ['a JPEG whose segment has no length', `\xff\xd8\xff\xe0\0\x01${'\0'.repeat(40)}`],
    [
      'a JPEG with a scan before the frame',
      `\xff\xd8\xff\xda\0\x04\0\0\xff\xc0\0\x0b\x08\0\x01\0\x01${'\0'.repeat(9)}`,
    ],
    ['a JPEG of fill bytes only', `\xff\xd8${'\xff'.repeat(1000)}`],
  ])('refuses %s', (_what, bytes) => {
    expect(imageFormatOf(Buffer.from(bytes, 'latin1'))).toBeUndefined();
  });

  it('reads each of many small segments once', () => {
    const count = 262_144;
    const segments = Buffer.from('\xff\xe0\0\x02'.repeat(count), 'latin1');
    const content = Buffer.concat([Buffer.from([0xff, 0xd8]), segments]);
    const positions: number[] = [];
    content.readUInt16BE = (at = 0) => {
      positions.push(at);
      return Buffer.prototype.readUInt16BE.call(content, at);
    };
    expect(imageFormatOf(content)).toBeUndefined();
    expect(positions.length).toBeGreaterThan(count / 2);
    expect(new Set(positions).size).toBe(positions.length);
  });
});
