# syscall(number, ...): most numbers are libc's affair, by a jump, as some of them return twice or on another
# stack. Those that tidemark_hooked_numbers has a bit for have hooks of their own, by whatever way they are called;
# clone has where its child goes on in a copy of this stack.

        .set    SYS_clone, 56
        .set    CLONE_VM, 0x100

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
        jne     2b
        test    $CLONE_VM, %esi         # flags
        jnz     1b
        test    %rdx, %rdx              # a stack of its own
        jnz     1b
        jmp     2b
        .cfi_endproc
        .size syscall, . - syscall

        .section .note.GNU-stack, "", @progbits
