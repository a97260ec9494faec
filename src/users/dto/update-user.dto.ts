import { PartialDto } from '../../http/request/partial-dto';
import { AddUserDto } from './add-user.dto';

/** Body of `PATCH /users/{userId}`. */
export class UpdateUserDto extends PartialDto(AddUserDto, { omit: ['userId'] }) {}
