import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { readProjectArchive } from '../archives/read-archive';
import { recordKinds } from '../archives/record-kinds';
import { ImportPlanService } from './import-plan.service';
import { type ImportOptions } from './import-options';
import { type ImportPlan } from './import-plan';
import { checkImport } from './phases/check';

/** Plans an import without beginning one. */
@Injectable()
export class ImportPreviewService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly plans: ImportPlanService,
  ) {}

  /**
   * Checks an archive and compares it with the space. Writes nothing but a temporary folder.
   * @throws BackupError if it cannot be used, and the errors of `ImportPlanService.make`
   */
  async preview(
    path: string,
    options: ImportOptions,
    name: string,
    onProgress: (done: number) => void,
  ): Promise<ImportPlan> {
    const folder = await mkdtemp(join(tmpdir(), 'project-management-import-'));
    try {
      const kinds = await recordKinds();
      const parts = readProjectArchive(path, kinds);
      const checked = await checkImport(parts, kinds, folder, this.dataSource, onProgress);
      return await this.plans.make(checked, options, name);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
