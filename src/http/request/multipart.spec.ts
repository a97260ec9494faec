import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { InvalidRequestError } from '../../errors/domain-errors';
import { readMultipart } from './multipart';

describe(readMultipart.name, () => {
  const read = (body: string): Promise<void> =>
    readMultipart(
      Readable.from([Buffer.from(body)]),
      'b',
      { parts: 5000, tooManyParts: () => new InvalidRequestError('Too many.') },
      { field: () => undefined, file: () => Promise.resolve() },
    );

  it('stops reading a form at its first malformed part', async () => {
    const emit = vi.spyOn(EventEmitter.prototype, 'emit');
    await expect(read('--b\r\n\r\n\r\n'.repeat(5000))).rejects.toThrow(
      'The form is not valid multipart/form-data.',
    );
    const errors = emit.mock.calls.filter(([event]) => event === 'error');
    emit.mockRestore();
    expect(errors).toHaveLength(1);
  });
});
