import { PartialDto } from '../../http/request/partial-dto';
import { AddWikiDto } from './add-wiki.dto';

/** Body of a request that updates a wiki page. */
export class UpdateWikiDto extends PartialDto(AddWikiDto, { omit: ['projectId'] }) {}
