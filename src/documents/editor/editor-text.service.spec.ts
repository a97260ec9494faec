import { InvalidRequestError, ServiceUnavailableError } from '../../errors/domain-errors';
import { WorkerThread } from '../../event-loop/worker-thread';
import { EditorTextService } from './editor-text.service';
import { convertMarkdown } from './markdown';

const MAX_LENGTH = 1_000_000;

/** A text that takes the thread long. */
const SLOW = '!['.repeat(50_000);

describe('EditorTextService', () => {
  let service: EditorTextService;
  beforeEach(() => {
    service = new EditorTextService();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await service.onApplicationShutdown();
  });

  const refusal = { problems: [{ moreInfo: 'content' }] };

  it('converts texts of several users', async () => {
    const texts = await Promise.all(
      [1, 2, 1].map((user, index) => service.convert(`*${index}*`, MAX_LENGTH, user)),
    );
    expect(texts).toEqual([0, 1, 2].map((index) => convertMarkdown(`*${index}*`, MAX_LENGTH)));
  });

  it('refuses a text whose JSON would be too long, and converts the next', async () => {
    const refused = service.convert('- a\n'.repeat(100), 1000, 1);
    await expect(refused).rejects.toBeInstanceOf(InvalidRequestError);
    await expect(refused).rejects.toMatchObject(refusal);
    expect((await service.convert('a', 1000, 1)).plain).toBe('a');
  });

  it('ends a conversion that takes too long, and converts the next', async () => {
    service.limits.milliseconds = 0;
    const late = service.convert(SLOW, 10 * MAX_LENGTH, 1);
    await expect(late).rejects.toBeInstanceOf(InvalidRequestError);
    await expect(late).rejects.toMatchObject(refusal);
    service.limits.milliseconds = 60_000;
    expect((await service.convert('a', MAX_LENGTH, 1)).plain).toBe('a');
  });

  it('answers that the service is unavailable when a conversion takes long without a processor', async () => {
    service.limits.milliseconds = 1;
    vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 200, system: 200 });
    const late = service.convert(SLOW, 10 * MAX_LENGTH, 1);
    await expect(late).rejects.toBeInstanceOf(ServiceUnavailableError);
    service.limits.milliseconds = 60_000;
    expect((await service.convert('a', MAX_LENGTH, 1)).plain).toBe('a');
  });

  it('ends an idle thread, and converts a text that arrives while it ends', async () => {
    service.limits.idleMs = 0;
    const ask = vi.spyOn(WorkerThread.prototype, 'ask');
    const { end } = WorkerThread.prototype;
    let ended: Promise<void> | undefined;
    const arrived = new Promise((resolve) => {
      vi.spyOn(WorkerThread.prototype, 'end').mockImplementationOnce(function (
        this: WorkerThread<unknown, unknown>,
      ) {
        ended = end.call(this);
        service.limits.idleMs = 60_000;
        resolve(service.convert('b', MAX_LENGTH, 1));
        return ended;
      });
    });
    expect((await service.convert('a', MAX_LENGTH, 1)).plain).toBe('a');
    expect(await arrived).toMatchObject({ plain: 'b' });
    await ended;
    expect((await service.convert('c', MAX_LENGTH, 1)).plain).toBe('c');
    const [first, second, third] = ask.mock.contexts;
    expect(second).not.toBe(first);
    expect(third).toBe(second);
  });

  it('ends a conversion that takes too much memory, and converts the next', async () => {
    service.limits.megabytes = 32;
    const large = service.convert('- a\n'.repeat(250_000), 100 * MAX_LENGTH, 1);
    await expect(large).rejects.toBeInstanceOf(InvalidRequestError);
    await expect(large).rejects.toMatchObject(refusal);
    expect((await service.convert('a', MAX_LENGTH, 1)).plain).toBe('a');
  });

  it('leaves the event loop free during a conversion', async () => {
    service.limits.milliseconds = 60_000;
    const order: string[] = [];
    const conversion = service.convert(SLOW, 10 * MAX_LENGTH, 1).then(() => order.push('converted'));
    for (let turn = 0; turn < 3; turn++) {
      await new Promise(setImmediate);
      order.push('turn');
    }
    await conversion;
    expect(order).toEqual(['turn', 'turn', 'turn', 'converted']);
  });
});
