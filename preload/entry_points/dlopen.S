# dlopen and dlmopen look at their return address to find the caller's RUNPATH and namespace. A hook that
# *called* them would put itself there and break $ORIGIN in the host. So these note the name and jump.

        .text

        .macro jump_hook name, before, real
        .globl \name
        .type \name, @function
\name:
        .cfi_startproc
        endbr64
        push    %rdi
        .cfi_adjust_cfa_offset 8
        push    %rsi
        .cfi_adjust_cfa_offset 8
        push    %rdx
        .cfi_adjust_cfa_offset 8
        call    \before
        pop     %rdx
        .cfi_adjust_cfa_offset -8
        pop     %rsi
        .cfi_adjust_cfa_offset -8
        pop     %rdi
        .cfi_adjust_cfa_offset -8
        jmp     *\real(%rip)
        .cfi_endproc
        .size \name, . - \name
        .endm

        jump_hook dlopen, tidemark_before_dlopen, tidemark_real_dlopen
        jump_hook dlmopen, tidemark_before_dlmopen, tidemark_real_dlmopen

        .section .note.GNU-stack, "", @progbits
