/* Stands for a libOpenCL.so.1 of OpenCL 1.0: a function that is found, others are not. */
int clGetPlatformIDs(unsigned count, void* platforms, unsigned* found);

int clGetPlatformIDs(unsigned count, void* platforms, unsigned* found) {
    (void)count;
    (void)platforms;
    if (found) *found = 0;
    return 0;
}
