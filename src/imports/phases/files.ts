import { Readable } from 'node:stream';
import { type AttachmentsService } from '../../attachments/attachments.service';
import { partsOf, type PlannedContext, recordsOf } from '../import-context';

/** Stores the files of the archive, and counts those that were lost already, one transaction each. */
export async function storeFiles(context: PlannedContext, attachments: AttachmentsService): Promise<void> {
  const { ids, lease, plan } = context;
  const lost = new Set(plan.files.lost);
  const total = plan.files.count + lost.size;
  let number = 0;
  const isDone = (): boolean => ++number <= lease.position.done;
  const store = async (id: number, size: number, content: Readable | undefined): Promise<void> => {
    const done = number;
    await attachments.storeImported(ids.of('attachment', id), size, content, (work) =>
      lease.move({ done }, work),
    );
    context.progress(done, total);
  };
  for await (const part of partsOf(context)) {
    if (part.type === 'file') {
      // A file that was lost in part is lost.
      if (lost.has(part.id) || isDone()) continue;
      await store(part.id, part.size, Readable.from(part.content(), { objectMode: false }));
    } else if (part.type !== 'head' && part.type !== 'records') break;
  }
  for (const { id, size } of await sizesOf(context, lost)) {
    if (!isDone()) await store(id, size, undefined);
  }
}

/** Returns the sizes of the lost files. */
async function sizesOf(
  context: PlannedContext,
  lost: ReadonlySet<number>,
): Promise<{ id: number; size: number }[]> {
  const sizes: { id: number; size: number }[] = [];
  if (lost.size === 0) return sizes;
  for await (const { kind, record } of recordsOf(context, ({ name }) => name === 'attachment')) {
    if (kind.name === 'attachment' && lost.has(record.id as number))
      sizes.push({ id: record.id as number, size: record.size as number });
  }
  return sizes;
}
