"""The rules that make up the HorizontalPodAutoscaler (autoscaling/v2), as pure functions.

Written after the behaviour of the Kubernetes controller. Quantities are integers in thousandths, as there:
a ratio of two of them can differ in its last bit from the ratio of the numbers people write.
"""
