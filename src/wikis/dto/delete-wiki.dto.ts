import { PartialDto } from '../../http/request/partial-dto';
import { AddWikiDto } from './add-wiki.dto';

/** What the family's clients say when they delete a wiki page. */
export class DeleteWikiDto extends PartialDto(AddWikiDto, { omit: ['projectId', 'name', 'content'] }) {}
