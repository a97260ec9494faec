import { Injectable } from '@nestjs/common';
import { TransactionsService } from '../database/transactions/transactions.service';
import { AttachmentsService } from './attachments.service';
import { AttachmentRepository, type FileLink, type IdRange } from './data/attachment.repository';

const BATCH = 200;

/** Removes the files of imports that have been cancelled (`docs/decisions/0069-imports.md`). */
@Injectable()
export class ImportedFilesService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly rows: AttachmentRepository,
    private readonly attachments: AttachmentsService,
  ) {}

  /**
   * Removes what an import has written and nothing has attached, and what its projects have released.
   * @param range the ids that its files have; those of others among them are attached, or wait to be
   * @param links everything that refers to files
   * @returns whether all are gone
   */
  async remove(range: IdRange, links: readonly FileLink[]): Promise<boolean> {
    for (let { first } = range; ;) {
      const batch = await this.transactions.run(async (manager) => {
        const found = await this.rows.findUnlinked(manager, { ...range, first }, links, BATCH);
        await this.attachments.release(manager, found);
        return found;
      });
      if (batch.length < BATCH) break;
      first = (batch.at(-1) as number) + 1;
    }
    if (!(await this.rows.hasReleased(range))) return true;
    await this.attachments.removeExpired();
    return !(await this.rows.hasReleased(range));
  }
}
