import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { formatSecret, sign } from './signature';

const now = (): number => Math.floor(Date.now() / 1000);
const aSecret = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => formatSecret(Buffer.from(bytes)));
const aText = fc.string({ unit: 'grapheme' });

describe('a signature', () => {
  it('equals that of the example in the Standard Webhooks specification', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    expect(await sign('msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}', [secret])).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('passes verification by the Standard Webhooks library for any text and secret', async () => {
    await fc.assert(
      fc.asyncProperty(aSecret, aText, async (secret, text) => {
        const body = JSON.stringify({ text });
        const headers = { ...(await sign('msg_1', now(), body, [secret])) };
        expect(new Webhook(secret).verify(body, headers)).toEqual({ text });
      }),
    );
  });

  it('passes verification with each of its secrets, and with no other', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(aSecret, { minLength: 3, maxLength: 3 }),
        async ([first, second, other]) => {
          const headers = { ...(await sign('msg_1', now(), '{}', [first as string, second as string])) };
          expect(new Webhook(first as string).verify('{}', headers)).toEqual({});
          expect(new Webhook(second as string).verify('{}', headers)).toEqual({});
          expect(() => new Webhook(other as string).verify('{}', headers)).toThrow();
        },
      ),
    );
  });

  it('differs for each id, timestamp, body and secret', async () => {
    const secret = formatSecret(Buffer.alloc(32, 1));
    const signatures = await Promise.all([
      sign('msg_1', 1, 'a', [secret]),
      sign('msg_2', 1, 'a', [secret]),
      sign('msg_1', 2, 'a', [secret]),
      sign('msg_1', 1, 'b', [secret]),
      sign('msg_1', 1, 'a', [formatSecret(Buffer.alloc(32, 2))]),
    ]);
    expect(new Set(signatures.map((headers) => headers['webhook-signature'])).size).toBe(5);
  });
});

describe('a secret', () => {
  it('consists of the prefix whsec_ and its bytes in base64', () => {
    expect(formatSecret(Buffer.from([255, 254, 253]))).toBe('whsec_//79');
  });
});
