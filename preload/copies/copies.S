# The entry points. A large call is jumped to, not called, so that the function which records it finds the
# program's own frame as its caller; a small one goes to libc's function the same way. No register that
# carries an argument or a result is touched.

#define LARGE 65536             /* wire::kLargeTouch; asserted in large.cpp */

        .text

        # name: the symbol; bytes in rdx. large, early: functions of the same signature; real: libc's, or null.
        .macro sized_hook name, large, early, real
        .globl \name
        .type \name, @function
        .p2align 4
\name:
        .cfi_startproc
        endbr64
        cmp     $LARGE, %rdx
        jae     \large
        mov     \real(%rip), %rax
        test    %rax, %rax
        je      \early
        jmp     *%rax
        .cfi_endproc
        .size \name, . - \name
        .endm

        sized_hook memcpy,        tidemark_large_copy,        tidemark_early_copy,     tidemark_real_memcpy
        sized_hook memmove,       tidemark_large_move,        tidemark_early_copy,     tidemark_real_memmove
        sized_hook memset,        tidemark_large_fill,        tidemark_early_fill,     tidemark_real_memset
        sized_hook mempcpy,       tidemark_large_copy_end,    tidemark_early_copy_end, tidemark_real_mempcpy
        # The fourth argument, the room, stays in rcx: libc's own function checks it.
        sized_hook __memcpy_chk,  tidemark_checked_copy,      tidemark_early_copy,     tidemark_real___memcpy_chk
        sized_hook __memmove_chk, tidemark_checked_move,      tidemark_early_copy,     tidemark_real___memmove_chk
        sized_hook __memset_chk,  tidemark_checked_fill,      tidemark_early_fill,     tidemark_real___memset_chk
        sized_hook __mempcpy_chk, tidemark_checked_copy_end,  tidemark_early_copy_end, tidemark_real___mempcpy_chk

        .section .note.GNU-stack, "", @progbits
