import { Global, Module } from '@nestjs/common';
import { PageFilesController } from './page-files.controller';
import { PageFormsService } from './page-forms.service';

/** What the pages for people have in common. */
@Global()
@Module({
  controllers: [PageFilesController],
  providers: [PageFormsService],
  exports: [PageFormsService],
})
export class PagesModule {}
