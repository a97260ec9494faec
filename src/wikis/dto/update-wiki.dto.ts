import { PartialDto } from '../../http/request/partial-dto';
import { AddWikiDto } from './add-wiki.dto';

/** Changes of a wiki page. */
export class UpdateWikiDto extends PartialDto(AddWikiDto, { omit: ['projectId'] }) {}
