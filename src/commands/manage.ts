export { checkManage as check } from '../manage/check.ts';
export { run } from '../manage/run.ts';
