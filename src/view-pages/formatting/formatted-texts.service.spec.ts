import { WorkerThread } from '../../event-loop/worker-thread';
import { type SourceText } from './format-texts';
import { FormattedTextsService } from './formatted-texts.service';

/** A text that takes the thread long. */
const SLOW = '!['.repeat(50_000);

const markdown = (text: string): SourceText => ({ format: 'markdown', text });
const requester = { userId: 1, signal: new AbortController().signal };

describe('FormattedTextsService', () => {
  let service: FormattedTextsService;
  beforeEach(() => {
    service = new FormattedTextsService();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await service.onApplicationShutdown();
  });

  it('formats the texts of several pages', async () => {
    const pages = await Promise.all(
      ['a', 'b'].map((text) => service.format(requester, [markdown(`*${text}*`), markdown(text)])),
    );
    expect(pages).toEqual([
      ['<p><em>a</em></p>', '<p>a</p>'],
      ['<p><em>b</em></p>', '<p>b</p>'],
    ]);
  });

  it('starts no thread for empty texts', async () => {
    const ask = vi.spyOn(WorkerThread.prototype, 'ask');
    expect(await service.format(requester, [markdown(''), markdown('')])).toEqual(['', '']);
    expect(ask).not.toHaveBeenCalled();
  });

  it('shows texts without formatting when it takes too long, and formats the next', async () => {
    service.limits.milliseconds = 0;
    const [first, second] = await service.format(requester, [markdown('*a*'), markdown(SLOW)]);
    expect(first).toBe('<p class="plain">*a*</p>');
    expect(second).toBe(`<p class="plain">${SLOW}</p>`);
    service.limits.milliseconds = 60_000;
    expect(await service.format(requester, [markdown('*a*')])).toEqual(['<p><em>a</em></p>']);
  });

  it('shows texts without formatting when the user waits for many pages', async () => {
    vi.spyOn(WorkerThread.prototype, 'ask').mockResolvedValue(['formatted']);
    const formatted = Array.from({ length: 10 }, () => service.format(requester, [markdown('a')]));
    expect((await Promise.all(formatted)).flat()).toEqual([
      ...Array.from({ length: 6 }, () => 'formatted'),
      ...Array.from({ length: 4 }, () => '<p class="plain">a</p>'),
    ]);
  });

  it('rejects when the client has gone', async () => {
    const client = new AbortController();
    const formatted = service.format({ userId: 1, signal: client.signal }, [markdown('a')]);
    const reason = new Error('gone');
    client.abort(reason);
    await expect(formatted).rejects.toBe(reason);
  });

  it('leaves the event loop free', async () => {
    service.limits.milliseconds = 60_000;
    const order: string[] = [];
    const formatted = service.format(requester, [markdown(SLOW)]).then(() => order.push('formatted'));
    for (let turn = 0; turn < 3; turn++) {
      await new Promise(setImmediate);
      order.push('turn');
    }
    await formatted;
    expect(order).toEqual(['turn', 'turn', 'turn', 'formatted']);
  });
});
