import { Global, Module } from '@nestjs/common';
import { PageFormsService } from './page-forms.service';
import { StyleController } from './style.controller';

/** What the pages for people have in common. */
@Global()
@Module({
  controllers: [StyleController],
  providers: [PageFormsService],
  exports: [PageFormsService],
})
export class PagesModule {}
