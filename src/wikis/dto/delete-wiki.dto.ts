import { PartialDto } from '../../http/request/partial-dto';
import { AddWikiDto } from './add-wiki.dto';

/** Body that the family's clients send when they delete a wiki page. */
export class DeleteWikiDto extends PartialDto(AddWikiDto, { omit: ['projectId', 'name', 'content'] }) {}
