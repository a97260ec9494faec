import { PartialDto } from '../../http/partial-dto';
import { AddWikiDto } from './add-wiki.dto';

/** What to change of a wiki page. */
export class UpdateWikiDto extends PartialDto(AddWikiDto, { omit: ['projectId'] }) {}
