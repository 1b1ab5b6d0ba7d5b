# A student's JupyterLab: docker build -t attention-course . && docker run --rm -p 127.0.0.1:8888:8888 -v "$PWD/work:/home/student/work" attention-course
# Nothing is fetched when it runs. PyTorch is the one that pip finds, with CUDA on Linux; TORCH names a smaller one that you have:
# docker build --build-arg TORCH="torch --index-url ADDRESS" -t attention-course .
FROM python:3.11-slim
ARG TORCH=torch
RUN useradd --create-home student
COPY . /course
RUN pip install --no-cache-dir ${TORCH} \
 && pip install --no-cache-dir --constraint /course/constraints.txt "/course[lab]" \
 && rm -rf /course
USER student
WORKDIR /home/student
EXPOSE 8888
# The token that JupyterLab prints keeps others out.
CMD ["sh", "-c", "autograder lab --folder work --no-start && exec jupyter lab --ip=0.0.0.0 --no-browser --notebook-dir=work"]
