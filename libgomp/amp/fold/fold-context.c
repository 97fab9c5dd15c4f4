/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Switches contexts, in assembly: no compiler keeps a frame over a change of
   both the stack and the thread pointer.  */

#define _GNU_SOURCE 1
#include "fold/fold-context.h"
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#if GOMP_FOLD_CONTEXTS

/* The first function of a made context calls another one, and is where
   unwinding ends.  */
extern void gomp_fold_first_frame (void)
  __attribute__ ((visibility ("hidden")));

#ifdef __x86_64__

/* AT_HWCAP2: the kernel lets programs set the base of fs.  */
# define FSGSBASE 2

/* From the lowest address: MXCSR and the x87 control word, the base of fs, r15
   to r12, rbx, rbp, the address to return to.  */
# define WORDS 9

/* The control words are loaded only if they differ: both loads are slow.
   Shadow stacks are off (gomp_fold_no_contexts), so that RET may go
   elsewhere.  */
__asm__ (".text\n"
	 "	.p2align 4\n"
	 "	.globl	gomp_fold_switch\n"
	 "	.hidden	gomp_fold_switch\n"
	 "	.type	gomp_fold_switch, @function\n"
	 "gomp_fold_switch:\n"
	 "	.cfi_startproc\n"
	 "	endbr64\n"
	 "	pushq	%rbp\n"
	 "	.cfi_adjust_cfa_offset 8\n"
	 "	.cfi_rel_offset rbp, 0\n"
	 "	pushq	%rbx\n"
	 "	.cfi_adjust_cfa_offset 8\n"
	 "	.cfi_rel_offset rbx, 0\n"
	 "	pushq	%r12\n"
	 "	.cfi_adjust_cfa_offset 8\n"
	 "	.cfi_rel_offset r12, 0\n"
	 "	pushq	%r13\n"
	 "	.cfi_adjust_cfa_offset 8\n"
	 "	.cfi_rel_offset r13, 0\n"
	 "	pushq	%r14\n"
	 "	.cfi_adjust_cfa_offset 8\n"
	 "	.cfi_rel_offset r14, 0\n"
	 "	pushq	%r15\n"
	 "	.cfi_adjust_cfa_offset 8\n"
	 "	.cfi_rel_offset r15, 0\n"
	 "	.byte	0xf3, 0x48, 0x0f, 0xae, 0xc0\n"	/* rdfsbase %rax */
	 "	pushq	%rax\n"
	 "	.cfi_adjust_cfa_offset 8\n"
	 "	subq	$8, %rsp\n"
	 "	.cfi_adjust_cfa_offset 8\n"
	 "	stmxcsr	(%rsp)\n"
	 "	fnstcw	4(%rsp)\n"
	 "	movl	(%rsp), %ecx\n"
	 "	movzwl	4(%rsp), %edx\n"
	 "	movq	%rsp, (%rdi)\n"
	 "	movq	%rsi, %rsp\n"
	 "	cmpl	(%rsp), %ecx\n"
	 "	jne	1f\n"
	 "2:	cmpw	4(%rsp), %dx\n"
	 "	jne	3f\n"
	 "4:	addq	$8, %rsp\n"
	 "	.cfi_adjust_cfa_offset -8\n"
	 "	popq	%rax\n"
	 "	.cfi_adjust_cfa_offset -8\n"
	 "	.byte	0xf3, 0x48, 0x0f, 0xae, 0xd0\n"	/* wrfsbase %rax */
	 "	popq	%r15\n"
	 "	.cfi_adjust_cfa_offset -8\n"
	 "	.cfi_restore r15\n"
	 "	popq	%r14\n"
	 "	.cfi_adjust_cfa_offset -8\n"
	 "	.cfi_restore r14\n"
	 "	popq	%r13\n"
	 "	.cfi_adjust_cfa_offset -8\n"
	 "	.cfi_restore r13\n"
	 "	popq	%r12\n"
	 "	.cfi_adjust_cfa_offset -8\n"
	 "	.cfi_restore r12\n"
	 "	popq	%rbx\n"
	 "	.cfi_adjust_cfa_offset -8\n"
	 "	.cfi_restore rbx\n"
	 "	popq	%rbp\n"
	 "	.cfi_adjust_cfa_offset -8\n"
	 "	.cfi_restore rbp\n"
	 "	ret\n"
	 "	.cfi_adjust_cfa_offset 64\n"
	 "1:	ldmxcsr	(%rsp)\n"
	 "	jmp	2b\n"
	 "3:	fldcw	4(%rsp)\n"
	 "	jmp	4b\n"
	 "	.cfi_endproc\n"
	 "	.size	gomp_fold_switch, .-gomp_fold_switch\n"
	 "	.globl	gomp_fold_first_frame\n"
	 "	.hidden	gomp_fold_first_frame\n"
	 "	.type	gomp_fold_first_frame, @function\n"
	 "gomp_fold_first_frame:\n"
	 "	.cfi_startproc\n"
	 "	.cfi_undefined rip\n"
	 "	endbr64\n"
	 "	movq	%r12, %rdi\n"
	 "	call	*%r13\n"
	 "	ud2\n"
	 "	.cfi_endproc\n"
	 "	.size	gomp_fold_first_frame, .-gomp_fold_first_frame\n");

void *
gomp_fold_make_context (void *stack, size_t size, void (*fn) (void *),
			void *arg)
{
  uintptr_t top = ((uintptr_t) stack + size) & -16UL;
  uint64_t *word = (uint64_t *) top - WORDS;
  uint32_t mxcsr;
  uint16_t control;

  memset (word, 0, WORDS * sizeof *word);
  __asm__ ("stmxcsr %0" : "=m" (mxcsr));
  __asm__ ("fnstcw %0" : "=m" (control));
  word[0] = mxcsr | (uint64_t) control << 32;
  /* Not by rdfsbase, which the system may not let programs use.  */
  word[1] = (uintptr_t) __builtin_thread_pointer ();
  word[4] = (uintptr_t) fn;		/* r13 */
  word[5] = (uintptr_t) arg;		/* r12 */
  word[8] = (uintptr_t) gomp_fold_first_frame;
  return word;
}

/* Whether the thread has a shadow stack, on which a RET to another context
   would fail.  */

static bool
shadow_stack (void)
{
  uint64_t pointer = 0;

  /* rdsspq %rax, which does nothing where there is none.  */
  __asm__ (".byte 0xf3, 0x48, 0x0f, 0x1e, 0xc8" : "+a" (pointer));
  return pointer != 0;
}

const char *
gomp_fold_no_contexts (void)
{
  /* Valgrind, which knows no such instruction, hides the bit.  */
  if (!(getauxval (AT_HWCAP2) & FSGSBASE))
    return "the kernel does not let programs set the thread pointer";
  return shadow_stack () ? "shadow stacks are in force" : NULL;
}

#else /* __aarch64__ */

/* From the lowest address: x19 to x30, d8 to d15, the thread pointer, FPCR.  */
# define WORDS 22

__asm__ (".text\n"
	 "	.p2align 4\n"
	 "	.globl	gomp_fold_switch\n"
	 "	.hidden	gomp_fold_switch\n"
	 "	.type	gomp_fold_switch, %function\n"
	 "gomp_fold_switch:\n"
	 "	.cfi_startproc\n"
	 "	hint	#34\n"				/* bti c */
	 "	sub	sp, sp, #176\n"
	 "	.cfi_adjust_cfa_offset 176\n"
	 "	stp	x19, x20, [sp]\n"
	 "	stp	x21, x22, [sp, #16]\n"
	 "	stp	x23, x24, [sp, #32]\n"
	 "	stp	x25, x26, [sp, #48]\n"
	 "	stp	x27, x28, [sp, #64]\n"
	 "	stp	x29, x30, [sp, #80]\n"
	 "	.cfi_rel_offset x29, 80\n"
	 "	.cfi_rel_offset x30, 88\n"
	 "	stp	d8, d9, [sp, #96]\n"
	 "	stp	d10, d11, [sp, #112]\n"
	 "	stp	d12, d13, [sp, #128]\n"
	 "	stp	d14, d15, [sp, #144]\n"
	 "	mrs	x2, tpidr_el0\n"
	 "	mrs	x3, fpcr\n"
	 "	stp	x2, x3, [sp, #160]\n"
	 "	mov	x4, sp\n"
	 "	str	x4, [x0]\n"
	 "	mov	sp, x1\n"
	 "	ldp	x2, x4, [sp, #160]\n"
	 "	msr	tpidr_el0, x2\n"
	 "	cmp	x3, x4\n"
	 "	b.eq	1f\n"
	 "	msr	fpcr, x4\n"
	 "1:	ldp	x19, x20, [sp]\n"
	 "	ldp	x21, x22, [sp, #16]\n"
	 "	ldp	x23, x24, [sp, #32]\n"
	 "	ldp	x25, x26, [sp, #48]\n"
	 "	ldp	x27, x28, [sp, #64]\n"
	 "	ldp	x29, x30, [sp, #80]\n"
	 "	ldp	d8, d9, [sp, #96]\n"
	 "	ldp	d10, d11, [sp, #112]\n"
	 "	ldp	d12, d13, [sp, #128]\n"
	 "	ldp	d14, d15, [sp, #144]\n"
	 "	add	sp, sp, #176\n"
	 "	.cfi_adjust_cfa_offset -176\n"
	 "	ret\n"
	 "	.cfi_endproc\n"
	 "	.size	gomp_fold_switch, .-gomp_fold_switch\n"
	 "	.globl	gomp_fold_first_frame\n"
	 "	.hidden	gomp_fold_first_frame\n"
	 "	.type	gomp_fold_first_frame, %function\n"
	 "gomp_fold_first_frame:\n"
	 "	.cfi_startproc\n"
	 "	.cfi_undefined x30\n"
	 "	hint	#36\n"				/* bti j */
	 "	mov	x0, x19\n"
	 "	blr	x20\n"
	 "	brk	#1\n"
	 "	.cfi_endproc\n"
	 "	.size	gomp_fold_first_frame, .-gomp_fold_first_frame\n");

void *
gomp_fold_make_context (void *stack, size_t size, void (*fn) (void *),
			void *arg)
{
  uintptr_t top = ((uintptr_t) stack + size) & -16UL;
  uint64_t *word = (uint64_t *) top - WORDS;
  uint64_t fpcr;

  memset (word, 0, WORDS * sizeof *word);
  __asm__ ("mrs %0, fpcr" : "=r" (fpcr));
  word[0] = (uintptr_t) arg;		/* x19 */
  word[1] = (uintptr_t) fn;		/* x20 */
  word[11] = (uintptr_t) gomp_fold_first_frame;
  word[20] = (uintptr_t) __builtin_thread_pointer ();
  word[21] = fpcr;
  return word;
}

const char *
gomp_fold_no_contexts (void)
{
  return NULL;
}

#endif

#else /* !GOMP_FOLD_CONTEXTS */

const char *
gomp_fold_no_contexts (void)
{
  return "the processor does not let programs set the thread pointer";
}

#endif
