#include "filters.h"

namespace filters {

namespace {

class Square : public Shape {
 public:
  __device__ explicit Square(float a) : a_(a) {}
  __device__ float area() const override { return a_ * a_; }
  __device__ int sides() const override { return 4; }

 protected:
  float a_;
};

class Box : public Square {
 public:
  __device__ Box(float a, float b) : Square(a), b_(b) {}
  __device__ float area() const override { return a_ * b_; }

 private:
  float b_;
};

class Circle : public Shape {
 public:
  __device__ explicit Circle(float r) : r_(r) {}
  __device__ float area() const override { return 3.140625f * r_ * r_; }

 private:
  float r_;
};

}  // namespace

__global__ void makeShapes(Shape** shapes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  switch (i % 3) {
    case 0: shapes[i] = new Square(float(i)); break;
    case 1: shapes[i] = new Box(float(i), 2.0f); break;
    default: shapes[i] = new Circle(float(i)); break;
  }
}

__global__ void measure(Shape** shapes, float* area, int* sides, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  area[i] = shapes[i]->area();
  sides[i] = shapes[i]->sides();
}

__global__ void destroyShapes(Shape** shapes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) delete shapes[i];
}

}  // namespace filters
