import { Module } from '@nestjs/common';
import { SearchIndexRepository } from './data/search-index.repository';
import { SearchBlocksService } from './search-blocks.service';
import { SearchIndexBuilderService } from './search-index-builder.service';
import { SearchIndexService } from './search-index.service';

/** Provides the index of the texts that `keyword` searches. */
@Module({
  providers: [SearchIndexRepository, SearchIndexService, SearchBlocksService, SearchIndexBuilderService],
  exports: [SearchIndexService],
})
export class SearchIndexModule {}
