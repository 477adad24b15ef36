# syscall(number, ...): most numbers are libc's affair, by a jump, as some of them return twice or on another
# stack. Those that tidemark_hooked_numbers has a bit for have hooks of their own, by whatever way they are called;
# clone and clone3 have where their child goes on in a copy of this stack.

        .set    SYS_clone, 56
        .set    SYS_clone3, 435

        .text
        .globl syscall
        .type syscall, @function
syscall:
        .cfi_startproc
        endbr64
        cmp     $512, %rdi              # as many bits as there are; a negative number is none
        jae     1f
        lea     tidemark_hooked_numbers(%rip), %r11
        mov     %rdi, %rax
        shr     $6, %rax
        mov     (%r11,%rax,8), %rax
        bt      %rdi, %rax
        jc      3f
1:      cmpq    $0, tidemark_real_syscall(%rip)
        je      2f
        jmp     *tidemark_real_syscall(%rip)
2:      jmp     tidemark_hooked_syscall
3:      cmp     $SYS_clone, %rdi
        je      4f
        cmp     $SYS_clone3, %rdi
        jne     2b
4:      push    %rdi
        .cfi_adjust_cfa_offset 8
        push    %rsi
        .cfi_adjust_cfa_offset 8
        push    %rdx
        .cfi_adjust_cfa_offset 8
        push    %rcx
        .cfi_adjust_cfa_offset 8
        push    %r8
        .cfi_adjust_cfa_offset 8
        push    %r9
        .cfi_adjust_cfa_offset 8
        sub     $8, %rsp                # a multiple of 16, as a call has it
        .cfi_adjust_cfa_offset 8
        call    tidemark_before_clone_by_number
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
        pop     %r9
        .cfi_adjust_cfa_offset -8
        pop     %r8
        .cfi_adjust_cfa_offset -8
        pop     %rcx
        .cfi_adjust_cfa_offset -8
        pop     %rdx
        .cfi_adjust_cfa_offset -8
        pop     %rsi
        .cfi_adjust_cfa_offset -8
        pop     %rdi
        .cfi_adjust_cfa_offset -8
        test    %al, %al
        jz      1b
        jmp     2b
        .cfi_endproc
        .size syscall, . - syscall

        .section .note.GNU-stack, "", @progbits
