import { WithPast } from '../../users/dto/past-change-fields';
import { AddWikiDto } from './add-wiki.dto';

/** Body of `POST /wikis/import`. */
export class ImportWikiDto extends WithPast(AddWikiDto) {}
