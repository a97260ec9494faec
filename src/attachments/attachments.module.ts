import { Module } from '@nestjs/common';
import { SpaceModule } from '../space/space.module';
import { AttachmentsController } from './attachments.controller';
import { AttachmentsService } from './attachments.service';
import { FileStorage, LocalFileStorage } from './file-storage';

/** Uploaded files, which other modules attach. */
@Module({
  imports: [SpaceModule],
  controllers: [AttachmentsController],
  providers: [AttachmentsService, { provide: FileStorage, useClass: LocalFileStorage }],
  exports: [AttachmentsService],
})
export class AttachmentsModule {}
