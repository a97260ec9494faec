import { ApiProperty } from '@nestjs/swagger';

/** What the caller has left in one class of requests. */
export class RateAllowanceDto {
  @ApiProperty({ type: 'integer', description: 'Requests a minute.', example: 600 })
  limit: number;

  @ApiProperty({ type: 'integer', description: 'Requests that are left of them.', example: 599 })
  remaining: number;

  @ApiProperty({
    type: 'integer',
    description: 'When all are there again, in seconds since 1970.',
    example: 1_769_852_400,
  })
  reset: number;
}

/** What the caller has left in each class. */
export class RateAllowancesDto {
  @ApiProperty()
  read: RateAllowanceDto;

  @ApiProperty()
  update: RateAllowanceDto;

  @ApiProperty()
  search: RateAllowanceDto;

  @ApiProperty()
  icon: RateAllowanceDto;
}

/** What the caller has left. */
export class RateLimitDto {
  @ApiProperty()
  rateLimit: RateAllowancesDto;
}
