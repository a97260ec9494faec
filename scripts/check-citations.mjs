// Checks that what the files of this folder cite is there.
import { checkCitations } from './support/citations.mjs';

const { problems, files } = checkCitations('.');
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`Every citation in ${files} files leads to a document`);
