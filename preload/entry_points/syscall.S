# syscall(number, ...): most numbers are libc's affair, by a jump, as some of them return twice or on another
# stack. Those that start a program or install a filter have hooks of their own, by whatever way they are called.

        .text
        .globl syscall
        .type syscall, @function
syscall:
        .cfi_startproc
        endbr64
        cmp     $157, %rdi              # prctl
        je      1f
        cmp     $59, %rdi               # execve
        je      1f
        cmp     $322, %rdi              # execveat
        je      1f
        cmp     $317, %rdi              # seccomp
        je      1f
        cmpq    $0, tidemark_real_syscall(%rip)
        je      1f
        jmp     *tidemark_real_syscall(%rip)
1:      jmp     tidemark_hooked_syscall
        .cfi_endproc
        .size syscall, . - syscall

        .section .note.GNU-stack, "", @progbits
