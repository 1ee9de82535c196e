"""What this process may use of its machine: cores, memory, accelerators; what code they carry."""
