import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { AttachmentsService } from '../attachments/attachments.service';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { SharedFileRepository } from './data/shared-file.repository';

/** Removes the shared files of deleted projects. */
@Injectable()
export class SharedFileRemovalService implements OnModuleInit {
  constructor(
    private readonly removal: ProjectRemovalService,
    private readonly files: SharedFileRepository,
    private readonly attachments: AttachmentsService,
  ) {}

  onModuleInit(): void {
    this.removal.register('shared files', (...batch) => this.remove(...batch));
  }

  private async remove(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const files = await this.files.deleteSomeOfProject(manager, projectId, limit);
    await this.attachments.release(
      manager,
      files.flatMap(({ attachmentId }) => attachmentId ?? []),
    );
    return files.length;
  }
}
