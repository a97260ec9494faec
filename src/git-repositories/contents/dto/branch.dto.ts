import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../../http/request/fields';
import { ParametersOfWrite } from '../../../http/request/unknown-names';
import { HashProperty } from './hash-property';

/** A branch of a git repository. */
export class BranchDto {
  @ApiProperty({ description: 'The name, without `refs/heads/`.', example: 'main' })
  name: string;

  @HashProperty({ description: 'Hash of the newest commit.' })
  commit: string;

  @ApiProperty({ description: 'Whether this is the default branch.', example: true })
  isDefault: boolean;
}

const NameField = (): PropertyDecorator =>
  TextField({
    description: 'Name of the branch, without `refs/heads/`.',
    min: 1,
    max: 244,
    example: 'feature/search',
  });

/** Body of `addBranch`. */
export class AddBranchDto {
  @NameField()
  name: string;

  @TextField({
    description: 'The branch, tag or commit to start from.',
    min: 1,
    max: 255,
    example: 'main',
  })
  from: string;
}

/** Query of `deleteBranch`. */
@ParametersOfWrite()
export class DeleteBranchQuery {
  @NameField()
  name: string;
}
